import { Refusal, type Uuid } from '@postshelf/domain';

/** Bytes from which an answer is counted: smaller ones take little memory even if every connection has one. */
const LARGE = 64 * 1024;

/** Bytes of large answers that their readers haven't taken yet: of all tokens, and of one. */
const LIMITS = { all: 64 * 1024 * 1024, token: 16 * 1024 * 1024 } as const;

/** Bytes that a reader is given at a time. */
const PIECE = 64 * 1024;

/** Seconds. */
const RETRY_AFTER = 5;

/**
 * The memory of answers that wait for their readers. A caller that requests many large ones and reads none of them is
 * refused the next; the server drops connections on which nothing moves.
 */
export class AnswerMemory {
  #all = 0;
  readonly #ofTokens = new Map<Uuid | null, number>();

  constructor(private readonly limits: { readonly all: number; readonly token: number } = LIMITS) {}

  /**
   * Sets memory aside for an answer.
   *
   * @returns a function that gives it back; a repeat does nothing. null for a small answer, which isn't counted
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

/** The same body in pieces, each handed over once the reader has taken the one before. @param onEnd called at any end */
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
      // A copy: the reader takes over the memory of what it is given.
      controller.enqueue(rest.slice(0, PIECE));
      rest = rest.subarray(PIECE);
    },
    cancel(reason) {
      onEnd();
      return reader.cancel(reason);
    },
  });
}
