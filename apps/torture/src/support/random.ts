import { mulberry32 } from '@postshelf/testing/mulberry32';

/** Numbers that look random and are the same on every run of a seed. */
export class Random {
  /** From 0 to below 1. */
  readonly next: () => number;

  constructor(seed: number) {
    this.next = mulberry32(seed);
  }

  /** A whole number from `start` to below `end`. */
  between(start: number, end: number): number {
    return start + Math.floor(this.next() * (end - start));
  }

  /** True in so many of a hundred cases. */
  percent(share: number): boolean {
    return this.next() * 100 < share;
  }

  /** One of them; undefined where there is none. */
  pick<T>(from: readonly T[]): T | undefined {
    return from[this.between(0, from.length)];
  }
}
