import { Refusal } from '@postshelf/domain';

/** Milliseconds that a request waits for a slot, and seconds that it is told to stay away when it got none. */
const WAIT_TIMEOUT = 10_000;
const RETRY_AFTER = 10;

const NO_SLOT = 'Too many uploads are under way.';

/**
 * So many requests at once may receive files; as many again wait for a slot, in their order and not for long. A waiting
 * request costs little: its body isn't read meanwhile, so TCP holds its client back.
 */
export class UploadSlots {
  readonly #waiting = new Set<() => void>();
  #running = 0;

  constructor(
    private readonly size: number,
    private readonly timeout: number = WAIT_TIMEOUT,
  ) {}

  get figures(): { readonly running: number; readonly waiting: number } {
    return { running: this.#running, waiting: this.#waiting.size };
  }

  /**
   * @param signal aborted when the one who waits is gone
   * @returns what gives the slot back; a repeat does nothing
   * @throws Refusal `busy`
   */
  async take(signal: AbortSignal): Promise<() => void> {
    if (this.#running < this.size) this.#running += 1;
    // A slot that is handed over to a waiting request stays counted.
    else await this.#wait(signal);
    let isTaken = true;
    return () => {
      if (!isTaken) return;
      isTaken = false;
      this.#giveBack();
    };
  }

  #wait(signal: AbortSignal): Promise<void> {
    const { promise, resolve, reject } = Promise.withResolvers<void>();
    const refuse = (): void => {
      this.#waiting.delete(admit);
      reject(new Refusal({ code: 'busy', message: NO_SLOT, retryAfter: RETRY_AFTER }));
    };
    const admit = (): void => {
      this.#waiting.delete(admit);
      resolve();
    };
    if (signal.aborted || this.#waiting.size >= this.size) {
      refuse();
      return promise;
    }
    this.#waiting.add(admit);
    const timer = setTimeout(refuse, this.timeout);
    signal.addEventListener('abort', refuse);
    return promise.finally(() => {
      clearTimeout(timer);
      signal.removeEventListener('abort', refuse);
    });
  }

  #giveBack(): void {
    const [next] = this.#waiting;
    if (next) next();
    else this.#running -= 1;
  }
}
