import { createContext } from 'react';

/** Pixels per millisecond: ten rows of tiles a second can't be recognised. */
const FAST = 2.5;
/** Pixels; a step of a mouse wheel is longer. */
const STEP = 50;
/** Milliseconds without scrolling. */
const SETTLED = 120;

/** While a list scrolls fast, pictures aren't loaded, as tiles are in the document for a few frames only. */
export class FastScroll {
  #top = 0;
  #at = Number.NEGATIVE_INFINITY;
  #timer: ReturnType<typeof setTimeout> | null = null;
  readonly #listeners = new Set<() => void>();

  /** @param top the scroll position in pixels */
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

/** Of the list that contains a tile. */
export const FastScrollContext = createContext(new FastScroll());
