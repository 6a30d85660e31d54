import type { Resource } from './stream-message.ts';

/** Milliseconds for which changes are collected before a refresh. */
const PAUSE = 300;

/**
 * How many times longer than a refresh the rest after it is, and the longest rest in milliseconds. On a slow network, a
 * refresh takes as long as its data, so that a colleague's hundreds of uploads cost a phone a fifth of its network at
 * most.
 */
const REST = 4;
const LONGEST_REST = 10_000;

/** Collects changed resources and refreshes them together, one refresh after the other, with a rest in between. */
export class Changes {
  #changed = new Set<Resource>();
  #timer: ReturnType<typeof setTimeout> | null = null;
  #isHeld = false;
  /** The end of the rest after the last refresh, on the clock of `performance.now()`. */
  #restsUntil = 0;

  constructor(
    private readonly refresh: (changed: ReadonlySet<Resource>) => Promise<unknown>,
    private readonly pause = PAUSE,
  ) {}

  add(changed: readonly Resource[]): void {
    for (const resource of changed) this.#changed.add(resource);
    this.#plan();
  }

  /** Holds or resumes refreshes. While they are held, changes are only collected. */
  hold(isHeld: boolean): void {
    this.#isHeld = isHeld;
    this.#plan();
  }

  end(): void {
    this.#changed.clear();
    if (this.#timer !== null) clearTimeout(this.#timer);
  }

  #plan(): void {
    if (this.#isHeld || this.#timer !== null || this.#changed.size === 0) return;
    const wait = Math.max(this.pause, this.#restsUntil - performance.now());
    this.#timer = setTimeout(() => void this.#act(), wait);
  }

  async #act(): Promise<void> {
    const changed = this.#changed;
    this.#changed = new Set();
    // Each refresh is awaited, because the next one would abort it: with constant changes, no refresh would ever end.
    const begun = performance.now();
    await this.refresh(changed).catch(() => undefined);
    const ended = performance.now();
    this.#restsUntil = ended + Math.min(REST * (ended - begun), LONGEST_REST);
    this.#timer = null;
    this.#plan();
  }
}
