import { setServers } from 'node:dns';
import { readFile } from 'node:fs/promises';
import { isIP } from 'node:net';

export interface Address {
  readonly address: string;
  readonly family: 4 | 6;
}

/** Returns every address of a name, the best first. Throws if the name doesn't exist. */
export type Resolve = (host: string) => Promise<readonly Address[]>;

/** The file in which a machine lists its name servers (resolv.conf(5)). */
const RESOLV_CONF = '/etc/resolv.conf';

/**
 * Resolves names with the machine's name servers and `/etc/hosts`, using c-ares. Until a name server answers,
 * getaddrinfo(3) would block one of the few threads that all file I/O shares.
 */
export const resolveBySystem: Resolve = async (host) => {
  await reloadNameServers();
  const found = await Bun.dns.lookup(host, { backend: 'c-ares' });
  return found.map(({ address, family }) => ({ address, family: family === 6 ? 6 : 4 }));
};

/**
 * The content of {@link RESOLV_CONF} when this process last read it. It is null before the first read, which changes
 * nothing, because c-ares reads the file itself when it starts.
 */
let known: string | null = null;

/**
 * Reloads the name servers if the file has changed, because c-ares reads it only once, but a machine may move to
 * another network.
 */
async function reloadNameServers(): Promise<void> {
  const text = await readFile(RESOLV_CONF, 'utf8').catch(() => null);
  if (text === null || text === known) return;
  const servers = nameServers(text);
  if (known !== null && servers.length > 0) setServers(servers);
  known = text;
}

/** Returns the addresses after `nameserver`, except those that are bound to an interface. */
export const nameServers = (text: string): readonly string[] =>
  Array.from(text.matchAll(/^nameserver[ \t]+(\S+)/gm), ([, address = '']) => address).filter(
    (address) => isIP(address) !== 0 && !address.includes('%'),
  );
