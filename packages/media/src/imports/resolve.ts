import { setServers } from 'node:dns';
import { readFile } from 'node:fs/promises';
import { isIP } from 'node:net';

export interface Address {
  readonly address: string;
  readonly family: 4 | 6;
}

/** Every address of a name, best first. Throws when there is no such name. */
export type Resolve = (host: string) => Promise<readonly Address[]>;

/** Where a machine says whom to ask (resolv.conf(5)). */
const RESOLV_CONF = '/etc/resolv.conf';

/**
 * The machine's name servers and its `/etc/hosts`, by c-ares. Not getaddrinfo(3): that holds a thread for as long as a name
 * server keeps silent, one of the few that all reading and writing of files needs, so that a handful of names whose
 * servers are down would bring everything to a halt.
 */
export const resolveBySystem: Resolve = async (host) => {
  await reloadNameServers();
  const found = await Bun.dns.lookup(host, { backend: 'c-ares' });
  return found.map(({ address, family }) => ({ address, family: family === 6 ? 6 : 4 }));
};

/** What the file said when it was last looked at; null before that, when c-ares reads it by itself. */
let known: string | null = null;

/** c-ares reads the file once, but machines come into other networks. */
async function reloadNameServers(): Promise<void> {
  const text = await readFile(RESOLV_CONF, 'utf8').catch(() => null);
  if (text === null || text === known) return;
  const servers = nameServers(text);
  if (known !== null && servers.length > 0) setServers(servers);
  known = text;
}

/** The addresses behind `nameserver`, those aside that are bound to an interface. */
export const nameServers = (text: string): readonly string[] =>
  Array.from(text.matchAll(/^nameserver[ \t]+(\S+)/gm), ([, address = '']) => address).filter(
    (address) => isIP(address) !== 0 && !address.includes('%'),
  );
