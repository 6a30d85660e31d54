import { REQUEST_ENDED_EARLY, Refusal, type Uuid } from '@postshelf/domain';

interface Making {
  readonly work: Promise<unknown>;
  readonly stopping: AbortController;
  /** Those who wait for it. */
  waiting: number;
}

/**
 * What is being made of items in this process, one at a time of each: whoever asks for more of the same item joins. It ends
 * early when the last of them has gone.
 */
export class MakingPool {
  readonly #makings = new Map<Uuid, Making>();

  /**
   * Does the work, unless some is under way of the item: then waits for that.
   *
   * @param signal aborted when the caller has gone
   * @returns what the work answered; null where the caller joined, who looks again then
   * @throws what the work throws, to the caller who began it; Refusal `malformed`, or the signal's own
   */
  async once<T>(id: Uuid, signal: AbortSignal, work: (signal: AbortSignal) => Promise<T>): Promise<T | null> {
    const joined = this.#makings.get(id);
    if (joined) {
      // How it failed is told to who began it; who joined tries it anew.
      await this.#wait(
        joined,
        joined.work.catch(() => null),
        signal,
      );
      return null;
    }
    const stopping = new AbortController();
    const working = work(stopping.signal);
    const making: Making = { work: working, stopping, waiting: 0 };
    this.#makings.set(id, making);
    const end = (): void => void this.#makings.delete(id);
    working.then(end, end);
    return this.#wait(making, working, signal);
  }

  async #wait<T>(making: Making, result: Promise<T>, signal: AbortSignal): Promise<T> {
    making.waiting += 1;
    let stopWatching = (): void => undefined;
    try {
      const gone = new Promise<never>((_, reject) => {
        const leave = (): void => reject(endedEarly(signal));
        signal.addEventListener('abort', leave);
        stopWatching = () => signal.removeEventListener('abort', leave);
        if (signal.aborted) leave();
      });
      return await Promise.race([result, gone]);
    } finally {
      stopWatching();
      making.waiting -= 1;
      if (making.waiting === 0) making.stopping.abort();
    }
  }
}

const endedEarly = ({ reason }: AbortSignal): Refusal =>
  reason instanceof Refusal
    ? reason
    : new Refusal({ code: 'malformed', message: REQUEST_ENDED_EARLY }, { cause: reason });
