import { setImmediate as nextTurn } from 'node:timers/promises';
import { type BodyReader, memoryOf } from './gathered-bytes.ts';

/** A request's body, of which some may still come. */
interface Unread {
  readonly mayLinger: boolean;
  begin(): BodyReader | null;
}

/** What is read of one body after its answer, and of all of them. */
export interface LingeringLimits {
  /** Bytes of a body. */
  readonly bytes: number;
  /** Milliseconds, and those without a byte. */
  readonly time: number;
  readonly quiet: number;
  /** Connections at a time. */
  readonly connections: number;
  /** With more connections than these few, all of them share a rate, in bytes a second. */
  readonly few: number;
  readonly rate: number;
  /** Milliseconds between the last byte that is read and the end of the answer. */
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
 * Chunks that are looked at together, and bytes of one on average. Below `least` the body is cut off, as each costs Bun
 * as much as a large one; below `single` Bun is left to join the next ones, which saves nine tenths of their time.
 */
const CHUNKS = { together: 32, least: 64, single: 4096 } as const;

const CHECK_INTERVAL = 250;

/**
 * Sends answers to requests whose body is still coming. A connection that is closed with unread bytes is reset (RFC 9112
 * section 9.6), and many clients then report `EPIPE` in place of the answer. So its last piece is followed by the rest of
 * the body, which is read and discarded; then the answer ends, and with it the connection.
 *
 * That is bounded, as anybody can send bodies for ever. At the limit of bytes nothing more is read for a while, so that
 * the client waits for room to write when the answer ends, and reads that first.
 */
export class Lingering {
  #connections = 0;
  #second = 0;
  #spent = 0;
  readonly #running = new Set<() => void>();
  #isOver = false;

  constructor(private readonly limits: LingeringLimits = LINGERING) {}

  /** @returns the same answer unless more of the body is to come; not a promise where nothing has to be awaited */
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

  /** Lingers no more, also where it does now: the service is about to stop. */
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

  /** Resolves when the answer may end. */
  async #discard(rest: BodyReader, first: Read): Promise<void> {
    const { bytes: most, time, quiet, pause } = this.limits;
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
      for (let next = first; bytes <= most; next = rest.read()) {
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
        if (mean < CHUNKS.least) return;
        // The next one is then many that were joined.
        [seen.chunks, seen.bytes] = [mean < CHUNKS.single ? -1 : 0, 0];
        if (mean < CHUNKS.single) await nextTurn();
      }
      await new Promise((resolve) => setTimeout(resolve, pause));
    } catch {
      // The client is gone.
    } finally {
      clearInterval(timer);
      this.#running.delete(stop);
    }
  }

  #isFull(): boolean {
    return this.#connections >= this.limits.connections || this.#isCrowded(0);
  }

  /** Whether all connections together are above their rate. */
  #isCrowded(bytes: number): boolean {
    const second = Math.floor(performance.now() / 1000);
    if (second !== this.#second) [this.#second, this.#spent] = [second, 0];
    this.#spent += bytes;
    return this.#connections >= this.limits.few && this.#spent > this.limits.rate;
  }
}

type Read = ReturnType<BodyReader['read']>;

/**
 * Reads what came with the head: it may be a small body in one chunk.
 *
 * @returns the read that waits for more, in an array as it would be waited for; none if that was all of the body
 */
async function readArrived(rest: BodyReader): Promise<readonly Read[]> {
  for (let reads = 1; ; reads += 1) {
    const next = rest.read();
    const result = await Promise.race([next, nextTurn(null)]).catch(() => null);
    if (result?.done) return [];
    if (result === null || reads === 2) return [next];
  }
}
