import { RemoteError, TransferRate } from '@postshelf/domain';
import type { Lifetime } from './download-lifetime.ts';
import { cutOff, stalled, tooSlow } from './failures.ts';

export interface BodyLimits {
  /** Maximum milliseconds that a reader waits for a byte. The transfer rate is measured over periods of this length. */
  readonly idleTimeout: number;
  /** Minimum bytes per second while a reader waits. */
  readonly minimumRate: number;
}

const END: IteratorReturnResult<undefined> = { done: true, value: undefined };

/**
 * The file in a response, whose bytes are received as they are read. Between reads, only the connection's buffers fill,
 * and the time doesn't count as idle. The download's lifetime ends when reading ends, for whatever reason.
 */
export class ResponseBody implements AsyncIterable<Uint8Array> {
  #first: Uint8Array | null = null;
  #ended = false;
  #taken = false;
  readonly #rate: TransferRate;

  constructor(
    private readonly chunks: AsyncIterator<Uint8Array, undefined>,
    private readonly host: string,
    private readonly lifetime: Lifetime,
    private readonly options: BodyLimits,
  ) {
    this.#rate = new TransferRate(options.idleTimeout);
  }

  /** Waits for the first byte or the end. Throws whatever reading throws. */
  async begin(): Promise<void> {
    this.#first = await this.#pull();
  }

  [Symbol.asyncIterator](): AsyncIterator<Uint8Array> {
    if (this.#taken) throw new Error('The body of a download can be read only once.');
    this.#taken = true;
    return {
      next: () => this.#next(),
      return: async () => {
        this.#first = null;
        this.#ended = true;
        this.lifetime.end();
        return END;
      },
    };
  }

  async #next(): Promise<IteratorResult<Uint8Array, undefined>> {
    if (this.#first) {
      this.lifetime.signal.throwIfAborted();
      const value = this.#first;
      this.#first = null;
      return { done: false, value };
    }
    const stop = this.lifetime.endAfter(this.options.idleTimeout, () => stalled(this.host));
    try {
      const start = performance.now();
      const value = await this.#pull();
      if (!value) return END;
      this.#judge(performance.now() - start, value.length);
      return { done: false, value };
    } finally {
      stop();
    }
  }

  #judge(waited: number, bytes: number): void {
    this.#rate.add(waited, bytes);
    if (!this.#rate.isBelow(this.options.minimumRate)) return;
    this.lifetime.end(tooSlow(this.host));
    throw this.lifetime.signal.reason;
  }

  /** Returns the next chunk; null at the end. */
  async #pull(): Promise<Uint8Array | null> {
    if (this.#ended) return null;
    try {
      const { done, value } = await this.lifetime.waitFor(this.chunks.next());
      if (!done) return value;
    } catch (cause) {
      this.lifetime.end(cause instanceof RemoteError ? cause : cutOff(this.host, cause));
      throw this.lifetime.signal.reason;
    }
    this.#ended = true;
    this.lifetime.end();
    return null;
  }
}
