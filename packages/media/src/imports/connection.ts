import { connect as connectByTcp, isIP, type LookupFunction, type Socket } from 'node:net';
import { connect as connectByTls } from 'node:tls';
import type { Address } from './resolve.ts';
import type { Target } from './target.ts';

/** Milliseconds for each address of a name but the last; the runtime's own fraction of a second is short for a far one. */
const ATTEMPT_TIMEOUT = 2000;

/** Bytes that wait for their reader; beyond them nothing is taken from the socket. */
const MAX_WAITING = 256 * 1024;

export interface ConnectionOptions {
  /** The only addresses that are connected to, whatever the host's name resolves to meanwhile. */
  readonly addresses: readonly Address[];
  /** PEM; trusted in the place of the certificate authorities that the runtime knows. */
  readonly ca: string | undefined;
}

/**
 * A connection to a host at one of its checked addresses, over TLS where the URL says so. Proxies in the environment are
 * passed by, and a certificate must be good for the name before a byte is sent.
 */
export class Connection {
  readonly #socket: Socket;
  readonly #opened = Promise.withResolvers<void>();
  readonly #chunks: Buffer[] = [];
  #waiting = 0;
  #state: 'open' | 'ended' | { readonly error: Error } = 'open';
  /** Wakes the reader up. */
  #wake: (() => void) | null = null;

  constructor(target: Target, options: ConnectionOptions) {
    const onOpen = (): void => this.#opened.resolve();
    this.#socket = connect(target, options, onOpen)
      .on('data', (chunk: Buffer) => this.#take(chunk))
      .on('end', () => this.#end('ended'))
      .on('error', (error: Error) => this.#end({ error }))
      .on('close', () => this.#end({ error: new Error('The connection was closed.') }));
  }

  /** Waits for the connection, its certificate included. Throws what the platform does. */
  opened(): Promise<void> {
    return this.#opened.promise;
  }

  write(text: string): void {
    this.#socket.write(text, 'latin1');
  }

  /** The next bytes; null when the other side has ended. Throws when the connection broke, or was closed. One call at a time. */
  async read(): Promise<Buffer | null> {
    while (this.#chunks.length === 0) {
      if (this.#state === 'ended') return null;
      if (this.#state !== 'open') throw this.#state.error;
      const { promise, resolve } = Promise.withResolvers<void>();
      this.#wake = resolve;
      // May bring bytes before it returns.
      this.#socket.resume();
      await promise;
    }
    const chunk = this.#chunks.shift() ?? null;
    this.#waiting -= chunk?.length ?? 0;
    return chunk;
  }

  /** Puts bytes back, to be read first. */
  unread(bytes: Buffer): void {
    if (bytes.length === 0) return;
    this.#chunks.unshift(bytes);
    this.#waiting += bytes.length;
  }

  /** Ends it at any time. A repeat does nothing. */
  close(): void {
    this.#socket.destroy();
  }

  #take(chunk: Buffer): void {
    this.#chunks.push(chunk);
    this.#waiting += chunk.length;
    if (this.#waiting >= MAX_WAITING) this.#socket.pause();
    this.#notify();
  }

  #end(state: 'ended' | { readonly error: Error }): void {
    if (this.#state !== 'open') return;
    this.#state = state;
    this.#opened.reject(state === 'ended' ? new Error('The connection was ended.') : state.error);
    this.#notify();
  }

  #notify(): void {
    this.#wake?.();
    this.#wake = null;
  }
}

function connect({ url, host }: Target, { addresses, ca }: ConnectionOptions, onOpen: () => void): Socket {
  const isSecure = url.protocol === 'https:';
  const port = Number(url.port) || (isSecure ? 443 : 80);
  const [first, ...others] = addresses;
  const to =
    first && others.length === 0
      ? { host: first.address, port }
      : { host, port, lookup: pinnedTo(addresses), autoSelectFamilyAttemptTimeout: ATTEMPT_TIMEOUT };
  if (!isSecure) return connectByTcp(to, onOpen);
  // Set explicitly, or NODE_TLS_REJECT_UNAUTHORIZED could undo it. An IP address is no server name (RFC 6066 section 3).
  const servername = isIP(host) === 0 ? host : '';
  return connectByTls({ ...to, rejectUnauthorized: true, servername, ...(ca && { ca }) }, onOpen);
}

/** In the place of DNS: answers what was checked before. */
const pinnedTo =
  (addresses: readonly Address[]): LookupFunction =>
  (_host, options, callback) => {
    const [first] = addresses;
    if (options.all) callback(null, [...addresses]);
    else callback(null, first?.address ?? '', first?.family);
  };
