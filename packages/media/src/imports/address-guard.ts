import { isIP } from 'node:net';
import { notFound, notPublic } from './failures.ts';
import type { AllowedNetwork } from './ip-networks.ts';
import { isInAny, isPublic } from './public-address.ts';
import { portOf, type RemoteUrl } from './remote-url.ts';
import type { Address, Resolve } from './resolve.ts';

/**
 * Number of addresses to try per family. It is more than one because an address may be down, but small so that a name
 * can't cause a thousand attempts.
 */
const TRIED_PER_FAMILY = 2;

export class AddressGuard {
  constructor(
    private readonly allowed: readonly AllowedNetwork[],
    private readonly resolve: Resolve,
  ) {}

  /**
   * Looks the host up once, and checks all its addresses. A name is refused if any of its addresses isn't public,
   * because a mix suggests DNS rebinding.
   *
   * @returns the only addresses to connect to, at least one
   * @throws RemoteError `refused` if the host isn't public; `failed` if the name doesn't exist
   */
  async resolveAllowed(remote: RemoteUrl): Promise<readonly Address[]> {
    const addresses = await this.#addressesOf(remote);
    if (addresses.length === 0) throw notFound(remote.name);
    if (!addresses.every(({ address }) => this.mayReach(address, portOf(remote)))) throw notPublic(remote.name);
    return fewOfEachFamily(addresses);
  }

  mayReach(address: string, port: number): boolean {
    const allowed = this.allowed.filter((each) => each.port === null || each.port === port);
    return (
      isPublic(address) ||
      isInAny(
        allowed.map(({ network }) => network),
        address,
      )
    );
  }

  async #addressesOf({ host, name }: RemoteUrl): Promise<readonly Address[]> {
    const family = isIP(host);
    if (family !== 0) return [{ address: host, family: family === 6 ? 6 : 4 }];
    if (host === '') return [];
    try {
      return await this.resolve(host);
    } catch (cause) {
      throw notFound(name, cause);
    }
  }
}

function fewOfEachFamily(addresses: readonly Address[]): readonly Address[] {
  const count = { 4: 0, 6: 0 };
  return addresses.filter(({ family }) => {
    count[family] += 1;
    return count[family] <= TRIED_PER_FAMILY;
  });
}
