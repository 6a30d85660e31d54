import { createContext } from 'react';

/** Pixels per millisecond above which pictures can't be recognised: ten rows of tiles a second. */
const FAST = 2.5;
/** Movements of fewer pixels are never fast; a step of a mouse wheel is longer. */
const STEP = 50;
/** Milliseconds without scrolling after which a list no longer counts as fast. */
const SETTLED = 120;

/**
 * Whether a list scrolls fast. Tiles are then in the document for only a few frames, so their pictures aren't loaded.
 */
export class FastScroll {
  #top = 0;
  #at = Number.NEGATIVE_INFINITY;
  #timer: ReturnType<typeof setTimeout> | null = null;
  readonly #listeners = new Set<() => void>();

  /** Has to be called whenever the list was scrolled. @param top the scroll position in pixels */
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

  /** Calls the listener when fast scrolling ends. @returns a function that removes the listener */
  readonly subscribe = (listener: () => void): (() => void) => {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  };
}

/** The scroll speed of the list that contains a tile. */
export const FastScrollContext = createContext(new FastScroll());
