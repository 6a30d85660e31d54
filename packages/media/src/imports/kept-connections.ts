import type { Connection } from './connection.ts';
import type { RemoteUrl } from './remote-url.ts';
import type { Address } from './resolve.ts';

/** Milliseconds; most servers close idle connections after 5 s or more, and no request should be sent at that moment. */
const KEEP_TIME = 4000;

/** Most connections that are kept; each is an open file here and at its server. */
const MAX_KEPT = 64;

/** Seconds that a server must leave an idle connection open, where it says so. */
const MIN_TIMEOUT = 5;

/** Whether the server leaves the connection open after the response (RFC 9112 section 9.3), and for long enough. */
export function isReusable(headers: Readonly<Record<string, string | undefined>>): boolean {
  const { connection = 'keep-alive', 'keep-alive': hint = '' } = headers;
  const timeout = /timeout=(\d+)/i.exec(hint)?.[1] ?? MIN_TIMEOUT;
  return connection.toLowerCase() === 'keep-alive' && Number(timeout) >= MIN_TIMEOUT;
}

interface Kept {
  readonly owner: string;
  readonly key: string;
  readonly connection: Connection;
  readonly drop: () => void;
  readonly timer: NodeJS.Timeout;
}

/**
 * Connections that their servers left open after a response, to be used again by the same owner (the workspace) for the
 * same server. Never by another owner: what a server sends too much, and too late to be noticed, could be taken for the
 * response to the next request, and a fast response would say that somebody else had just been there.
 */
export class KeptConnections {
  /** The oldest first. */
  readonly #kept: Kept[] = [];

  /** @param keepTime milliseconds after which an unused connection is closed */
  constructor(private readonly keepTime = KEEP_TIME) {}

  /**
   * The connection that was kept last, if its server's address is still among those that were checked now.
   *
   * @returns undefined if there is none
   */
  take(owner: string, remote: RemoteUrl, addresses: readonly Address[]): Connection | undefined {
    const key = keyOf(owner, remote);
    const index = this.#kept.findLastIndex(
      (kept) => kept.key === key && addresses.some(({ address }) => address === kept.connection.remoteAddress),
    );
    const [kept] = index < 0 ? [] : this.#kept.splice(index, 1);
    if (!kept) return undefined;
    clearTimeout(kept.timer);
    kept.connection.leaveIdle();
    return kept.connection;
  }

  /** Keeps a connection whose last response was read to its end. It is closed as soon as anything happens to it. */
  keep(owner: string, remote: RemoteUrl, connection: Connection): void {
    const drop = (): void => {
      const index = this.#kept.findIndex((kept) => kept.connection === connection);
      for (const { timer } of index < 0 ? [] : this.#kept.splice(index, 1)) clearTimeout(timer);
      connection.close();
    };
    if (!connection.becomeIdle(drop)) {
      connection.close();
      return;
    }
    if (this.#kept.length === MAX_KEPT) this.#leastNeeded(owner)?.drop();
    const timer = setTimeout(drop, this.keepTime).unref();
    this.#kept.push({ owner, key: keyOf(owner, remote), connection, drop, timer });
  }

  /** The oldest of the owner, so that an owner who fetches from many servers closes its own; else the oldest of all. */
  #leastNeeded(owner: string): Kept | undefined {
    return this.#kept.find((kept) => kept.owner === owner) ?? this.#kept[0];
  }
}

/** A certificate is checked for a name, so a connection serves only the name that it was opened for. */
const keyOf = (owner: string, { url: { protocol, port }, host }: RemoteUrl): string =>
  [protocol, host, port, owner].join(' ');
