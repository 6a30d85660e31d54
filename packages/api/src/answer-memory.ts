import { Refusal, type Uuid } from '@postshelf/domain';

/** Bytes from which an answer is counted. Smaller ones take little memory, even if every connection waits for one. */
const LARGE = 64 * 1024;

/** Most bytes of large answers that haven't been read by their clients yet: in total, and per token. */
const LIMITS = { all: 64 * 1024 * 1024, token: 16 * 1024 * 1024 } as const;

/** Bytes that are handed to the reader at a time. */
const PIECE = 64 * 1024;

/** `Retry-After`, in seconds. */
const RETRY_AFTER = 5;

/**
 * Limits the memory of answers that wait for their clients. A caller that requests many large answers and reads none of
 * them is refused the next one; the server closes connections on which nothing moves.
 */
export class AnswerMemory {
  #all = 0;
  readonly #ofTokens = new Map<Uuid | null, number>();

  constructor(private readonly limits: { readonly all: number; readonly token: number } = LIMITS) {}

  /**
   * Reserves memory for an answer.
   *
   * @returns a function that releases it; calling it again does nothing. null for a small answer, which isn't counted
   * @throws Refusal `busy`
   */
  take(token: Uuid | null, bytes: number): (() => void) | null {
    if (bytes < LARGE) return null;
    const ofToken = this.#ofTokens.get(token) ?? 0;
    if (ofToken + bytes > this.limits.token) throw busy('Too many answers to this token have not been read yet.');
    if (this.#all + bytes > this.limits.all) throw busy('Too many answers have not been read yet.');
    this.#all += bytes;
    this.#ofTokens.set(token, ofToken + bytes);
    let isHeld = true;
    return () => {
      if (!isHeld) return;
      isHeld = false;
      this.#all -= bytes;
      const left = (this.#ofTokens.get(token) ?? bytes) - bytes;
      if (left > 0) this.#ofTokens.set(token, left);
      else this.#ofTokens.delete(token);
    };
  }
}

const busy = (message: string): Refusal => new Refusal({ code: 'busy', message, retryAfter: RETRY_AFTER });

/**
 * The same body in pieces, each passed on when the reader has taken the previous one.
 *
 * @param onEnd called however it ends
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
      // A copy, as the reader takes over the memory of what it is given.
      controller.enqueue(rest.slice(0, PIECE));
      rest = rest.subarray(PIECE);
    },
    cancel(reason) {
      onEnd();
      return reader.cancel(reason);
    },
  });
}
