import { createContext } from 'react';

/** Pixels in a millisecond beyond which nobody sees what a tile shows: ten rows of tiles in a second. */
const FAST = 2.5;
/** Pixels of a way that is none: a step of a wheel is more. */
const STEP = 50;
/** Milliseconds after which a list that was fast stands still, unless it goes on. */
const SETTLED = 120;

/** Whether a list flies past. What it shows then is in the document for a few frames, so its pictures needn't be loaded. */
export class FastScroll {
  #top = 0;
  #at = Number.NEGATIVE_INFINITY;
  #timer: ReturnType<typeof setTimeout> | null = null;
  readonly #listeners = new Set<() => void>();

  /** To be told where the list stands whenever it was scrolled. @param top in pixels */
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

  /** Has a function called when it is slow again. @returns ends that */
  readonly subscribe = (listener: () => void): (() => void) => {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  };
}

/** Of the list that a tile is in. */
export const FastScrollContext = createContext(new FastScroll());
