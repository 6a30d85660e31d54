import { connect, type Socket } from 'node:net';

export interface SlowClientOptions {
  /** A piece that is sent repeatedly, with a pause in milliseconds. */
  readonly trickle?: { readonly piece: string | Uint8Array; readonly pause: number };
  /** Whether the client reads the answer. Default true. */
  readonly reads?: boolean;
}

/**
 * A client that sends the beginning of a request, and then small pieces at intervals or nothing. It may or may not read
 * the answer.
 */
export class SlowClient implements Disposable {
  #received = '';
  #length = 0;
  readonly #trickle: ReturnType<typeof setInterval> | null;
  readonly closed: Promise<void>;

  private constructor(
    private readonly socket: Socket,
    { trickle, reads = true }: SlowClientOptions,
  ) {
    this.closed = new Promise((resolve) => socket.once('close', () => resolve()));
    this.#trickle = trickle ? setInterval(() => socket.writable && socket.write(trickle.piece), trickle.pause) : null;
    if (reads) socket.on('data', (piece: Buffer) => this.#take(piece));
    else socket.pause();
  }

  static open(port: number, beginning: string | Uint8Array, options: SlowClientOptions = {}): Promise<SlowClient> {
    return new Promise((resolve, reject) => {
      const socket = connect({ port, host: '127.0.0.1' });
      socket.once('error', reject);
      socket.once('connect', () => {
        socket.removeAllListeners('error');
        // The service may reset the connection when it has waited long enough.
        socket.on('error', () => socket.destroy());
        socket.write(beginning);
        resolve(new SlowClient(socket, options));
      });
    });
  }

  get status(): number | null {
    const status = /^HTTP\/1\.1 (\d{3})/.exec(this.#received)?.[1];
    return status === undefined ? null : Number(status);
  }

  get received(): number {
    return this.#length;
  }

  /** Whether the service has closed the connection or answered; a client that doesn't read never notices an answer. */
  get isOver(): boolean {
    return this.socket.destroyed || this.#length > 0;
  }

  #take(piece: Buffer): void {
    this.#length += piece.length;
    if (this.#received.length < 1000) this.#received += piece.toString('latin1');
  }

  [Symbol.dispose](): void {
    if (this.#trickle) clearInterval(this.#trickle);
    this.socket.destroy();
  }
}
