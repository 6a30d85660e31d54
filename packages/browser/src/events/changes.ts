import type { Resource } from './stream-message.ts';

/** Milliseconds for which changes are collected before a refresh. */
const PAUSE = 300;

/** Collects changed resources and refreshes them together, one refresh after the other. */
export class Changes {
  #changed = new Set<Resource>();
  #timer: ReturnType<typeof setTimeout> | null = null;
  #isHeld = false;

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
    this.#timer = setTimeout(() => void this.#act(), this.pause);
  }

  async #act(): Promise<void> {
    const changed = this.#changed;
    this.#changed = new Set();
    // Each refresh is awaited, because the next one would abort it: with constant changes, no refresh would ever end.
    await this.refresh(changed).catch(() => undefined);
    this.#timer = null;
    this.#plan();
  }
}
