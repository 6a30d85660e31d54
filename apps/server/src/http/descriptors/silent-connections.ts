import { dlopen, ptr } from 'bun:ffi';

/** From <netinet/tcp.h> and <sys/socket.h>, the same on all Linux architectures that the program is built for. */
const IPPROTO_TCP = 6;
const TCP_INFO = 11;
const SHUT_RDWR = 2;

/** Offsets in `struct tcp_info`, in bytes: newer kernels only append fields. */
const STATE = 0;
/** For a listening socket: the most connections that may wait to be accepted. */
const QUEUE_LENGTH = 28;
const LAST_DATA_SENT = 44;
const LAST_DATA_RECEIVED = 52;
const BYTES_ACKED = 120;
const BYTES_RECEIVED = 128;
const TCP_INFO_LENGTH = 136;

const ESTABLISHED = 1;
const LISTEN = 10;

/** Most connections that the kernel queues until they are accepted; it caps this at its `net.core.somaxconn`. */
const BACKLOG = 4096;

/** Bytes that are acknowledged on a connection without an answer: the SYN counts as one. */
const SYN = 1n;

/** Most descriptors that one call checks, about ten milliseconds of work. The next call continues after them. */
const LOOKED_AT = 20_000;

/** Offset of the port in `struct sockaddr_in` and `sockaddr_in6`, in network byte order. */
const PORT = 2;
const ADDRESS_LENGTH = 28;

/** The times of silence after which connections are closed. */
export interface Silence {
  /** Milliseconds after which a connection is closed that has never sent a byte. */
  readonly fromTheBeginning: number;
  /**
   * Milliseconds without a byte in either direction after which a connection is closed that hasn't had an answer yet:
   * its request's head isn't complete.
   */
  readonly unanswered: number;
  /**
   * Milliseconds without a byte in either direction after which other connections are closed: their clients don't read
   * the answer.
   */
  readonly answered: number;
  /** Ports of clients whose requests are being answered: their connections stay open. */
  readonly answering: ReadonlySet<number>;
}

/**
 * Reads the state of sockets from the kernel, as Bun reports nothing of a connection before the complete head of a
 * request.
 */
export class SilentConnections {
  readonly #libc = dlopen('libc.so.6', {
    getsockname: { args: ['i32', 'ptr', 'ptr'], returns: 'i32' },
    getpeername: { args: ['i32', 'ptr', 'ptr'], returns: 'i32' },
    getsockopt: { args: ['i32', 'i32', 'i32', 'ptr', 'ptr'], returns: 'i32' },
    shutdown: { args: ['i32', 'i32'], returns: 'i32' },
    listen: { args: ['i32', 'i32'], returns: 'i32' },
  }).symbols;
  readonly #address = new Uint8Array(ADDRESS_LENGTH);
  readonly #info = new DataView(new ArrayBuffer(TCP_INFO_LENGTH));
  readonly #length = new Int32Array(1);

  #next = 0;

  /**
   * @param port that the server listens on
   * @param limit of descriptors
   * @throws Error if the system's C library can't be called
   */
  constructor(
    private readonly port: number,
    private readonly limit: number,
  ) {}

  /**
   * Allows more connections to wait to be accepted than the 512 that Bun sets. Beyond the limit the kernel drops a
   * client's first packet, and the client tries again a second later. Returns how many may wait now; null if the
   * server's socket wasn't found.
   */
  lengthenQueue(): number | null {
    for (let fd = 0; fd < Math.min(LOOKED_AT, this.limit); fd += 1) {
      if (this.#portOf(fd, 'getsockname') !== this.port || this.#stateOf(fd) !== LISTEN) continue;
      this.#libc.listen(fd, BACKLOG);
      this.#stateOf(fd);
      return this.#info.getUint32(QUEUE_LENGTH, true);
    }
    return null;
  }

  /**
   * Shuts silent connections down, so that the server closes them as if their clients had. Returns how many. Runs in
   * one turn of the event loop: the server closes its sockets in the same thread, so no descriptor is reused meanwhile.
   */
  close(silence: Silence): number {
    let closed = 0;
    // Tries all numbers, as listing the open descriptors would need another one, and there may be none left.
    for (let count = Math.min(LOOKED_AT, this.limit); count > 0; count -= 1) {
      const fd = this.#next;
      this.#next = (fd + 1) % this.limit;
      if (this.#isSilent(fd, silence) && this.#libc.shutdown(fd, SHUT_RDWR) === 0) closed += 1;
    }
    return closed;
  }

  #isSilent(fd: number, { fromTheBeginning, unanswered, answered, answering }: Silence): boolean {
    if (this.#portOf(fd, 'getsockname') !== this.port) return false;
    if (this.#stateOf(fd) !== ESTABLISHED) return false;
    const info = this.#info;
    const silent = Math.min(info.getUint32(LAST_DATA_SENT, true), info.getUint32(LAST_DATA_RECEIVED, true));
    if (info.getBigUint64(BYTES_RECEIVED, true) === 0n) return silent >= fromTheBeginning;
    const timeout = info.getBigUint64(BYTES_ACKED, true) > SYN ? answered : unanswered;
    return silent >= timeout && !answering.has(this.#portOf(fd, 'getpeername') ?? 0);
  }

  /** The state of a TCP socket, with the rest of its information in `#info`; null for other descriptors. */
  #stateOf(fd: number): number | null {
    this.#length[0] = TCP_INFO_LENGTH;
    const given = this.#libc.getsockopt(fd, IPPROTO_TCP, TCP_INFO, ptr(this.#info.buffer), ptr(this.#length));
    return given === 0 ? this.#info.getUint8(STATE) : null;
  }

  /** The port of a socket; null if it is no socket or isn't connected. */
  #portOf(fd: number, call: 'getsockname' | 'getpeername'): number | null {
    this.#length[0] = ADDRESS_LENGTH;
    if (this.#libc[call](fd, ptr(this.#address), ptr(this.#length)) !== 0) return null;
    return new DataView(this.#address.buffer).getUint16(PORT);
  }
}
