import { createContext } from 'react';

/** Pixels per millisecond above which nobody sees what a tile shows: ten rows of tiles a second. */
const FAST = 2.5;
/** Pixels of a movement that doesn't count; a step of a wheel is longer. */
const STEP = 50;
/** Milliseconds without scrolling after which a fast list counts as slow. */
const SETTLED = 120;

/**
 * Whether a list scrolls fast. Tiles are then in the document for a few frames, so their pictures needn't be loaded.
 */
export class FastScroll {
  #top = 0;
  #at = Number.NEGATIVE_INFINITY;
  #timer: ReturnType<typeof setTimeout> | null = null;
  readonly #listeners = new Set<() => void>();

  /** To be called whenever the list was scrolled. @param top in pixels */
  note(top: number): void {
    const now = performance.now();
    const [way, time] = [Math.abs(top - this.#top), now - this.#at];
    [this.#top, this.#at] = [top, now];
    if (time > SETTLED || way < Math.max(STEP, time * FAST)) return;
    if (this.#timer !== null) clearTimeout(this.#timer);
    this.#timer = setTimeout(() => {
      this.#timer = null;
      for (const listener of this.#listeners) listener();
    }, SETTLED);
  }

  readonly isFast = (): boolean => this.#timer !== null;

  /** Calls a function when it is slow again. @returns ends that */
  readonly subscribe = (listener: () => void): (() => void) => {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  };
}

/** That of the list around a tile. */
export const FastScrollContext = createContext(new FastScroll());
