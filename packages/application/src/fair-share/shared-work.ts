import { endedEarly } from '@postshelf/domain';

interface Work {
  readonly work: Promise<unknown>;
  readonly stopping: AbortController;
  waiting: number;
}

/**
 * Runs one piece of work per name at a time in this process; further callers wait for it. The work is aborted when its
 * last caller has disconnected.
 */
export class SharedWork {
  readonly #underWay = new Map<string, Work>();

  /**
   * @returns the work's result; null if the caller waited for another caller's work and has to check again
   * @throws whatever the work throws, if this caller started it; {@link endedEarly} if the signal is aborted
   */
  async once<T>(name: string, signal: AbortSignal, work: (signal: AbortSignal) => Promise<T>): Promise<T | null> {
    const joined = this.#underWay.get(name);
    if (joined) {
      // The caller that started the work gets the failure; the waiting callers try again.
      await this.#wait(
        joined,
        joined.work.catch(() => null),
        signal,
      );
      return null;
    }
    const stopping = new AbortController();
    const promise = work(stopping.signal);
    const entry: Work = { work: promise, stopping, waiting: 0 };
    this.#underWay.set(name, entry);
    const end = (): void => void this.#underWay.delete(name);
    promise.then(end, end);
    return this.#wait(entry, promise, signal);
  }

  async #wait<T>(entry: Work, result: Promise<T>, signal: AbortSignal): Promise<T> {
    entry.waiting += 1;
    let stopWatching = (): void => undefined;
    try {
      const aborted = new Promise<never>((_, reject) => {
        const leave = (): void => reject(endedEarly(signal));
        signal.addEventListener('abort', leave);
        stopWatching = () => signal.removeEventListener('abort', leave);
        if (signal.aborted) leave();
      });
      return await Promise.race([result, aborted]);
    } finally {
      stopWatching();
      entry.waiting -= 1;
      if (entry.waiting === 0) entry.stopping.abort();
    }
  }
}
