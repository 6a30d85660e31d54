import { connect as connectByTcp, isIP, type LookupFunction, type Socket } from 'node:net';
import { connect as connectByTls } from 'node:tls';
import type { RemoteUrl } from './remote-url.ts';
import type { Address } from './resolve.ts';

/**
 * Milliseconds to connect to each address of a name except the last; the runtime's own fraction of a second is too
 * short for a distant one.
 */
const ATTEMPT_TIMEOUT = 2000;

/**
 * Most bytes that wait for their reader, and most chunks, which may have a single byte; above that nothing is read from
 * the socket.
 */
const MAX_WAITING = 256 * 1024;
const MAX_CHUNKS = 256;

export interface ConnectionOptions {
  /** The only addresses to connect to, whatever the host's name resolves to meanwhile. */
  readonly addresses: readonly Address[];
  /** Certificate authorities, PEM, that are trusted instead of those that the runtime knows. */
  readonly ca: string | undefined;
}

/**
 * A connection to a host at one of its checked addresses, over TLS if the URL is https. Proxies in the environment are
 * ignored, and the certificate must be valid for the name before a byte is sent.
 */
export class Connection {
  readonly #socket: Socket;
  readonly #chunks: Buffer[] = [];
  #waiting = 0;
  #state: 'connecting' | 'open' | 'ended' | 'broken' = 'connecting';
  #failure: Error | null = null;
  /** Wakes the waiting reader. */
  #wake: (() => void) | null = null;
  /** The memory of the bytes that were read last, and of those that were put back, unless they share it with others. */
  #lent: ArrayBuffer | null = null;
  #putBack: ArrayBuffer | null = null;

  constructor(remote: RemoteUrl, options: ConnectionOptions) {
    this.#socket = connect(remote, options, () => this.#become('open'))
      .on('data', (chunk: Buffer) => this.#take(chunk))
      .on('end', () => this.#become('ended'))
      .on('error', (error: Error) => this.#become('broken', error))
      .on('close', () => this.#become('broken'));
  }

  /** Waits for the connection, including the check of its certificate. Throws the platform's errors. */
  async opened(): Promise<void> {
    while (this.#state === 'connecting') await this.#nextEvent();
    if (this.#state === 'broken') throw this.#error();
  }

  write(text: string): void {
    this.#socket.write(text, 'latin1');
  }

  /**
   * The next bytes, valid until the next call; null when the server has ended the connection. Throws if the connection
   * broke, or was closed. Only one call at a time.
   */
  async read(): Promise<Buffer | null> {
    this.release();
    while (this.#chunks.length === 0) {
      if (this.#state === 'ended') return null;
      if (this.#state === 'broken') throw this.#error();
      await this.#nextEvent();
    }
    const chunk = this.#chunks.shift() ?? Buffer.alloc(0);
    this.#waiting -= chunk.length;
    this.#lent = chunk.buffer === this.#putBack ? this.#putBack : memoryOf(chunk);
    this.#putBack = null;
    return chunk;
  }

  /** Puts bytes back, to be read next: those that were read last, or others. */
  unread(bytes: Buffer): void {
    if (bytes.length === 0) return;
    this.#putBack = bytes.buffer === this.#lent ? this.#lent : null;
    this.#lent = null;
    this.#chunks.unshift(bytes);
    this.#waiting += bytes.length;
  }

  /**
   * Frees the memory of the bytes that were read last, which nobody uses any more. The garbage collector would come
   * late, as it sees only the small object that refers to the memory.
   */
  release(): void {
    this.#lent?.transfer(0);
    this.#lent = null;
  }

  /** Leaves the memory of the bytes that were read last to their holder. */
  keep(): void {
    this.#lent = null;
  }

  /** The address that it was opened to; once it is closed, that or undefined. */
  get remoteAddress(): string | undefined {
    return this.#socket.remoteAddress;
  }

  /**
   * Leaves the connection open without a reader, and lets the process end meanwhile. Whatever happens to it then, bytes
   * included, makes it unusable.
   *
   * @param onEvent called then, maybe more than once
   * @returns false if it isn't open any more, was closed here, or bytes have arrived that nobody has read
   */
  becomeIdle(onEvent: () => void): boolean {
    // This may deliver bytes before it returns.
    if (this.#socket.isPaused()) this.#socket.resume();
    if (this.#state !== 'open' || this.#socket.destroyed || this.#chunks.length > 0) return false;
    this.#wake = onEvent;
    this.#socket.unref();
    return true;
  }

  /** Ends what {@link becomeIdle} began. */
  leaveIdle(): void {
    this.#wake = null;
    this.#socket.ref();
  }

  /** Closes the connection, at any time. Calling it again does nothing. */
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

  /** Resolves when bytes have arrived, or the state has changed. */
  #nextEvent(): Promise<void> {
    return new Promise((resolve) => {
      this.#wake = resolve;
      // This may deliver bytes before it returns.
      if (this.#socket.isPaused()) this.#socket.resume();
    });
  }

  #error(): Error {
    return this.#failure ?? new Error('The connection was closed.');
  }
}

/** The memory of a chunk; null if other chunks may share it. */
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

/** Replaces DNS: returns the addresses that were checked before. */
const pinnedTo =
  (addresses: readonly Address[]): LookupFunction =>
  (_host, options, callback) => {
    const [first] = addresses;
    if (options.all) callback(null, [...addresses]);
    else callback(null, first?.address ?? '', first?.family);
  };
