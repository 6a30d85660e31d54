import type { MemoryShares } from './memory-shares.ts';
import type { RateState } from './service.ts';

/** Maximum bytes that the reader gets at a time. */
const PIECE = 64 * 1024;

const OF_SESSIONS = [
  ['Cache-Control', 'no-store'],
  ['Cross-Origin-Resource-Policy', 'same-origin'],
  ['X-Content-Type-Options', 'nosniff'],
] as const;

export const jsonBytes = (value: unknown): number => Buffer.byteLength(JSON.stringify(value ?? null));

/** The headers of an answer, and the memory that it takes. */
export class Reply {
  /** The caller's state in the rate limit; null without a limit. */
  rate: RateState | null = null;
  isToSession = false;
  /** Additional headers, which are sent even with a refusal and override the usual ones. */
  also: Readonly<Record<string, string>> = {};
  /** Whether sending begins while calls are still running, so that more memory may be reserved in the meantime. */
  isStreamed = false;
  readonly #cookies: string[] = [];
  #isReplayed: boolean | null = null;
  readonly #held: (() => void)[] = [];
  #uncounted = 0;
  #isOver = false;

  constructor(
    private readonly memory: MemoryShares,
    private readonly record: { readonly holder: string | null },
  ) {}

  /** @param header a value of `Set-Cookie` */
  setCookie(header: string): void {
    this.isToSession = true;
    this.#cookies.push(header);
  }

  /** Records whether a call got a stored answer. The reply counts as a repeat if all calls with a key got one. */
  replayed(isReplayed: boolean): void {
    this.#isReplayed = isReplayed && this.#isReplayed !== false;
  }

  /**
   * Reserves memory until the answer has been sent. Does nothing if the answer was abandoned.
   *
   * @throws Refusal `busy`
   */
  hold(bytes: number): void {
    if (this.#isOver) return;
    // The answers in a batch may each be too small to be counted, but large together.
    const together = this.#uncounted + bytes;
    const release = this.memory.take(this.record.holder, together);
    if (release) this.#held.push(release);
    this.#uncounted = release ? 0 : together;
  }

  /**
   * Adds the headers that every answer has. Unless {@link also} says otherwise, an answer to a session must not be stored
   * in caches, or loaded as a script or an image by pages of other origins, because browsers send the cookie with such
   * requests as well.
   */
  addHeaders(headers: Headers, requestId: string): void {
    headers.set('X-Request-Id', requestId);
    if (this.isToSession) for (const [name, value] of OF_SESSIONS) headers.set(name, value);
    for (const [name, value] of Object.entries(this.also)) headers.set(name, value);
    for (const cookie of this.#cookies) headers.append('Set-Cookie', cookie);
    if (this.#isReplayed) headers.set('Idempotency-Replayed', 'true');
    const { rate } = this;
    if (!rate) return;
    // draft-ietf-httpapi-ratelimit-headers-06; `RateLimit-Reset` is the seconds until the next window.
    headers.set('RateLimit-Limit', String(rate.limit));
    headers.set('RateLimit-Remaining', String(rate.remaining));
    headers.set('RateLimit-Reset', String(rate.reset));
    if (rate.isExceeded) headers.set('Retry-After', String(rate.reset));
  }

  /**
   * Sends the answer in pieces if memory is or might be reserved for it, and releases the memory after the last piece.
   */
  inPiecesIfHeld(response: Response): Response {
    // This is checked first, because reading `body` makes Bun send even a short text as a stream.
    if (!this.isStreamed && this.#held.length === 0) return response;
    const { status, headers, body } = response;
    if (body === null) {
      this.#release();
      return response;
    }
    return new Response(
      inPieces(body, () => this.#release()),
      { status, headers },
    );
  }

  #release(): void {
    this.#isOver = true;
    for (const release of this.#held.splice(0)) release();
  }
}

/**
 * Passes on each piece once the reader has taken the previous one.
 *
 * @param onEnd called when the body ends, fails or is cancelled
 */
export function inPieces(body: ReadableStream<Uint8Array>, onEnd: () => void): ReadableStream<Uint8Array> {
  const reader = body.getReader();
  let rest: Uint8Array = new Uint8Array();
  return new ReadableStream({
    async pull(controller) {
      try {
        while (rest.length === 0) {
          const { done, value } = await reader.read();
          if (done) {
            controller.close();
            return onEnd();
          }
          rest = value;
        }
      } catch (error) {
        onEnd();
        throw error;
      }
      // The reader gets a copy, because it takes ownership of the memory that it receives.
      controller.enqueue(rest.slice(0, PIECE));
      rest = rest.subarray(PIECE);
    },
    cancel(reason) {
      onEnd();
      return reader.cancel(reason);
    },
  });
}
