import { setImmediate as nextTurn } from 'node:timers/promises';
import { type BodyReader, memoryOf } from './gathered-bytes.ts';

/** A request's body that might not have arrived completely. */
interface Unread {
  readonly mayLinger: boolean;
  begin(): BodyReader | null;
}

/** Limits on reading the rest of request bodies after their answers were sent. */
export interface LingeringLimits {
  /** Maximum bytes of one body. */
  readonly bytes: number;
  /** Maximum milliseconds for reading one body in total (`time`), and for waiting for its next byte (`quiet`). */
  readonly time: number;
  readonly quiet: number;
  /** Maximum number of concurrent connections. */
  readonly connections: number;
  /** The rate is only enforced if there are at least this many connections. */
  readonly few: number;
  /** Maximum bytes per second of all connections together. */
  readonly rate: number;
  /** Milliseconds to wait between the last byte that is read and the end of the answer. */
  readonly pause: number;
}

const MIB = 1024 * 1024;

export const LINGERING: LingeringLimits = {
  bytes: 64 * MIB,
  time: 30_000,
  quiet: 2_000,
  connections: 256,
  few: 32,
  rate: 16 * MIB,
  pause: 1_000,
};

/**
 * Chunks are judged in groups of `together`, by their average size in bytes. If the average is below `min`, the body
 * is cut off, because each small chunk costs Bun as much as a large one. If the average is below `single`, Bun is given
 * time to join the next chunks, which saves nine tenths of the work.
 */
const CHUNKS = { together: 32, min: 64, single: 4096 } as const;

const CHECK_INTERVAL = 250;

/**
 * Sends answers to requests whose body is still arriving. Closing a connection with unread bytes resets it (RFC 9112
 * section 9.6), and many clients then report `EPIPE` instead of the answer. So the rest of the body is read and
 * discarded after the answer's last byte. Only then does the answer end, and with it the connection.
 *
 * The reading is bounded, because anyone can send endless bodies. Once the limit of bytes is reached, there is a pause
 * before the answer ends. In that time the client can't write any more, and reads the answer before the connection is
 * reset.
 */
export class Lingering {
  #connections = 0;
  #second = 0;
  #spent = 0;
  readonly #running = new Set<() => void>();
  #isOver = false;

  constructor(private readonly limits: LingeringLimits = LINGERING) {}

  /**
   * Returns the answer unchanged unless more of the body may follow. Returns a promise only if something has to be
   * awaited.
   */
  answer(response: Response, body: Unread): Response | Promise<Response> {
    return body.mayLinger ? this.#answerUnread(response, body) : response;
  }

  async #answerUnread(response: Response, body: Unread): Promise<Response> {
    const rest = body.begin();
    const [next] = rest ? await readArrived(rest) : [];
    if (rest && !next) return response;
    const { status, headers } = response;
    headers.set('Connection', 'close');
    if (rest && next && response.body && !this.#isOver && !this.#isFull()) {
      return new Response(this.#followed(response.body.getReader(), rest, next), { status, headers });
    }
    void rest?.cancel().catch(() => undefined);
    return response;
  }

  /** Ends all lingering, and prevents any more, because the service is about to stop. */
  end(): void {
    this.#isOver = true;
    for (const stop of this.#running) stop();
  }

  #followed(answer: BodyReader, rest: BodyReader, next: Read): ReadableStream<Uint8Array> {
    this.#connections += 1;
    let isOver = false;
    const end = (): void => {
      if (isOver) return;
      isOver = true;
      this.#connections -= 1;
      void rest.cancel().catch(() => undefined);
    };
    return new ReadableStream({
      pull: async (controller) => {
        try {
          const { done, value } = await answer.read();
          if (!done) return controller.enqueue(value);
          await this.#discard(rest, next);
          controller.close();
        } catch (error) {
          controller.error(error);
        }
        end();
      },
      cancel: (reason) => {
        end();
        return answer.cancel(reason);
      },
    });
  }

  /** Reads and discards the rest of the body. Resolves when the answer may end. */
  async #discard(rest: BodyReader, first: Read): Promise<void> {
    const { bytes: max, time, quiet, pause } = this.limits;
    let [bytes, last] = [0, performance.now()];
    const end = last + time;
    const stop = (): void => void rest.cancel().catch(() => undefined);
    const timer = setInterval(
      () => {
        const now = performance.now();
        if (now > end || now > last + quiet) stop();
      },
      Math.min(CHECK_INTERVAL, quiet),
    );
    this.#running.add(stop);
    const seen = { chunks: 0, bytes: 0 };
    try {
      for (let next = first; bytes <= max; next = rest.read()) {
        const { done, value } = await next;
        if (done) return;
        const { length } = value;
        memoryOf(value)?.transfer(0);
        bytes += length;
        last = performance.now();
        if (this.#isCrowded(Math.max(length, CHUNKS.single))) return;
        seen.chunks += 1;
        if (seen.chunks > 0) seen.bytes += length;
        if (seen.chunks < CHUNKS.together) continue;
        const mean = seen.bytes / seen.chunks;
        if (mean < CHUNKS.min) return;
        // During the turn below, Bun joins many chunks into the next one, so that one isn't counted.
        [seen.chunks, seen.bytes] = [mean < CHUNKS.single ? -1 : 0, 0];
        if (mean < CHUNKS.single) await nextTurn();
      }
      await new Promise((resolve) => setTimeout(resolve, pause));
    } catch {
      // The client has disconnected.
    } finally {
      clearInterval(timer);
      this.#running.delete(stop);
    }
  }

  #isFull(): boolean {
    return this.#connections >= this.limits.connections || this.#isCrowded(0);
  }

  /** Counts bytes. Returns whether all connections together are above their rate. */
  #isCrowded(bytes: number): boolean {
    const second = Math.floor(performance.now() / 1000);
    if (second !== this.#second) [this.#second, this.#spent] = [second, 0];
    this.#spent += bytes;
    return this.#connections >= this.limits.few && this.#spent > this.limits.rate;
  }
}

type Read = ReturnType<BodyReader['read']>;

/**
 * Reads the part of the body that arrived together with the request's head. This may be the whole body if it is small.
 *
 * @returns the pending read, or nothing if the body has ended; in an array, because a bare promise would be awaited
 */
async function readArrived(rest: BodyReader): Promise<readonly Read[]> {
  for (let reads = 1; ; reads += 1) {
    const next = rest.read();
    const result = await Promise.race([next, nextTurn(null)]).catch(() => null);
    if (result?.done) return [];
    if (result === null || reads === 2) return [next];
  }
}
