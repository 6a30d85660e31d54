import { createContext } from 'react';

/**
 * Speed in pixels per millisecond above which scrolling is fast: ten rows of tiles a second, too fast to recognise
 * anything.
 */
const FAST = 2.5;
/** Two scroll events that are fewer pixels apart than this never count as fast. One step of a mouse wheel is longer. */
const STEP = 50;
/** Milliseconds without scrolling after which fast scrolling has ended. */
const SETTLED = 120;

/**
 * Detects fast scrolling, during which images aren't loaded, because tiles are in the document only for a few frames.
 */
export class FastScroll {
  #top = 0;
  #at = Number.NEGATIVE_INFINITY;
  #timer: ReturnType<typeof setTimeout> | null = null;
  readonly #listeners = new Set<() => void>();

  /** Records the scroll position. @param top in pixels */
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

  /** Calls the listener when fast scrolling ends. @returns a function that removes it */
  readonly subscribe = (listener: () => void): (() => void) => {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  };
}

/** The fast-scroll state of the list that contains a tile. */
export const FastScrollContext = createContext(new FastScroll());
