import { connect as connectByTcp, isIP, type LookupFunction, type Socket } from 'node:net';
import { connect as connectByTls } from 'node:tls';
import type { RemoteUrl } from './remote-url.ts';
import type { Address } from './resolve.ts';

/** Milliseconds for each address of a name but the last; the runtime's own fraction of a second is short for a far one. */
const ATTEMPT_TIMEOUT = 2000;

/** Bytes that wait for their reader, and chunks, of a byte at worst; beyond them nothing is taken from the socket. */
const MAX_WAITING = 256 * 1024;
const MAX_CHUNKS = 256;

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
  readonly #chunks: Buffer[] = [];
  #waiting = 0;
  #state: 'connecting' | 'open' | 'ended' | 'broken' = 'connecting';
  #failure: Error | null = null;
  /** Wakes the reader up. */
  #wake: (() => void) | null = null;
  /** The memory of the bytes that were read last, and of those that were put back, where it is theirs alone. */
  #lent: ArrayBuffer | null = null;
  #putBack: ArrayBuffer | null = null;

  constructor(remote: RemoteUrl, options: ConnectionOptions) {
    this.#socket = connect(remote, options, () => this.#become('open'))
      .on('data', (chunk: Buffer) => this.#take(chunk))
      .on('end', () => this.#become('ended'))
      .on('error', (error: Error) => this.#become('broken', error))
      .on('close', () => this.#become('broken'));
  }

  /** Waits for the connection, its certificate included. Throws what the platform does. */
  async opened(): Promise<void> {
    while (this.#state === 'connecting') await this.#news();
    if (this.#state === 'broken') throw this.#error();
  }

  write(text: string): void {
    this.#socket.write(text, 'latin1');
  }

  /**
   * The next bytes, good until the next call; null when the other side has ended. Throws when the connection broke, or was
   * closed. One call at a time.
   */
  async read(): Promise<Buffer | null> {
    this.release();
    while (this.#chunks.length === 0) {
      if (this.#state === 'ended') return null;
      if (this.#state === 'broken') throw this.#error();
      await this.#news();
    }
    const chunk = this.#chunks.shift() ?? Buffer.alloc(0);
    this.#waiting -= chunk.length;
    this.#lent = chunk.buffer === this.#putBack ? this.#putBack : memoryOf(chunk);
    this.#putBack = null;
    return chunk;
  }

  /** Puts bytes back, to be read first: those that were read last, or others. */
  unread(bytes: Buffer): void {
    if (bytes.length === 0) return;
    this.#putBack = bytes.buffer === this.#lent ? this.#lent : null;
    this.#lent = null;
    this.#chunks.unshift(bytes);
    this.#waiting += bytes.length;
  }

  /**
   * Gives the memory back of what was read last, which nobody uses any more: the collector sees but the small object that it
   * hangs on, and comes late.
   */
  release(): void {
    this.#lent?.transfer(0);
    this.#lent = null;
  }

  /** Leaves what was read last to whoever holds it. */
  keep(): void {
    this.#lent = null;
  }

  /** Ends it at any time. A repeat does nothing. */
  close(): void {
    this.#socket.destroy();
  }

  #take(chunk: Buffer): void {
    this.#chunks.push(chunk);
    this.#waiting += chunk.length;
    if (this.#waiting >= MAX_WAITING || this.#chunks.length >= MAX_CHUNKS) this.#socket.pause();
    this.#wake?.();
  }

  #become(state: 'open' | 'ended' | 'broken', failure: Error | null = null): void {
    if (this.#state === 'ended' || this.#state === 'broken') return;
    this.#state = state;
    this.#failure = failure;
    this.#wake?.();
  }

  /** Resolves when there are bytes, or the state is another. */
  #news(): Promise<void> {
    return new Promise((resolve) => {
      this.#wake = resolve;
      // May bring bytes before it returns.
      if (this.#socket.isPaused()) this.#socket.resume();
    });
  }

  #error(): Error {
    return this.#failure ?? new Error('The connection was closed.');
  }
}

/** The memory that a chunk has for itself; null where it may share it with others. */
const memoryOf = ({ buffer, byteLength }: Buffer): ArrayBuffer | null =>
  buffer instanceof ArrayBuffer && buffer.byteLength === byteLength ? buffer : null;

function connect({ url, host }: RemoteUrl, { addresses, ca }: ConnectionOptions, onOpen: () => void): Socket {
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
