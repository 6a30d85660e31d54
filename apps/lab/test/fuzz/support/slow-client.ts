import { connect, type Socket } from 'node:net';

/** Milliseconds between two bytes of a client that trickles. */
const PAUSE = 250;

/** A client that takes its time: it sends a beginning, then a byte now and then or nothing, and reads or doesn't. */
export class SlowClient implements Disposable {
  #received = '';
  readonly #trickle: ReturnType<typeof setInterval> | null;

  private constructor(
    private readonly socket: Socket,
    trickles: boolean,
  ) {
    this.#trickle = trickles ? setInterval(() => socket.writable && socket.write('a'), PAUSE) : null;
  }

  /** Connects and sends the beginning. */
  static open(port: number, beginning: string, { trickles = false, reads = true } = {}): Promise<SlowClient> {
    return new Promise((resolve, reject) => {
      const socket = connect({ port, host: '127.0.0.1' });
      socket.once('error', reject);
      socket.once('connect', () => {
        socket.removeAllListeners('error');
        // A reset is how the service may say that it has waited long enough.
        socket.on('error', () => socket.destroy());
        socket.write(beginning);
        const client = new SlowClient(socket, trickles);
        if (reads) socket.on('data', (piece: Buffer) => client.#take(piece));
        else socket.pause();
        resolve(client);
      });
    });
  }

  /** The status of the answer, where one came. */
  get status(): number | null {
    const status = /^HTTP\/1\.1 (\d{3})/.exec(this.#received)?.[1];
    return status === undefined ? null : Number(status);
  }

  /** Whether the service has hung up or answered; one that doesn't read can't tell. */
  get isOver(): boolean {
    return this.socket.destroyed || this.#received !== '';
  }

  #take(piece: Buffer): void {
    if (this.#received.length < 1000) this.#received += piece.toString('latin1');
  }

  [Symbol.dispose](): void {
    if (this.#trickle) clearInterval(this.#trickle);
    this.socket.destroy();
  }
}
