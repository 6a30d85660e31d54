import { lookup } from 'node:dns/promises';
import { isIP } from 'node:net';
import { ConfigError } from '../config/config.ts';

export interface Place {
  readonly host: string;
  readonly port: number;
  /** The setting that contains the port. */
  readonly setting: 'PORT' | 'WORKER_PORT';
}

type Resolve = (host: string) => Promise<readonly string[]>;

const resolveHere: Resolve = async (host) => (await lookup(host, { all: true })).map(({ address }) => address);

/**
 * Starts a server on a host. If a host name has no address on this machine, Bun's error is misleading: it is whatever
 * error the thread had last, such as EADDRINUSE. So names are resolved first, and if Bun can't listen on the name, each
 * address is tried separately, to find the actual reason.
 *
 * @throws ConfigError that names the setting to correct, if the server can't listen
 */
export async function listen<S>(place: Place, start: (host: string) => S, resolve = resolveHere): Promise<S> {
  const { host } = place;
  const addresses = await addressesOf(host, resolve);
  const failures: unknown[] = [];
  for (const each of isKnown(host) ? [host] : [host, ...addresses])
    try {
      return start(each);
    } catch (cause) {
      failures.push(cause);
    }
  const byAddress = isKnown(host) ? failures : failures.slice(1);
  throw refusal(place, byAddress.find((cause) => codeOf(cause) !== 'EADDRNOTAVAIL') ?? byAddress[0], addresses);
}

/**
 * Checks that a server can listen, and listens on nothing afterwards. A start calls this before it creates or migrates a
 * library, which the program that has the port may be using.
 *
 * @throws ConfigError like {@link listen}
 */
export async function requireListenable(place: Place): Promise<void> {
  const { port } = place;
  const server = await listen(place, (hostname) => Bun.serve({ hostname, port, fetch: () => Response.error() }));
  await server.stop(true);
}

/** Whether Bun can listen on a host without resolving a name. Only then can Bun's errors be trusted. */
const isKnown = (host: string): boolean => isIP(host.replace(/^\[(.*)\]$/, '$1')) > 0 || /^(localhost)?$/.test(host);

async function addressesOf(host: string, resolve: Resolve): Promise<readonly string[]> {
  if (isKnown(host)) return [];
  const addresses = await resolve(host).catch(() => []);
  if (addresses.length > 0) return addresses;
  throw new ConfigError(
    `HOST: ${host} does not resolve to an address; set an address of this machine, such as 127.0.0.1`,
  );
}

function refusal({ host, port, setting }: Place, cause: unknown, addresses: readonly string[]): ConfigError {
  const code = codeOf(cause);
  if (code === 'EADDRINUSE') return new ConfigError(`${setting}: ${port} is in use on ${host}`);
  const named = addresses.length > 0 ? `${host} (${addresses.join(', ')})` : host;
  if (code === 'EADDRNOTAVAIL') return new ConfigError(`HOST: ${named} is not an address of this machine`);
  return new ConfigError(`HOST: cannot listen on ${named}: ${cause instanceof Error ? cause.message : cause}`);
}

const codeOf = (cause: unknown): unknown => (cause instanceof Error && 'code' in cause ? cause.code : null);
