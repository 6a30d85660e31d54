import { mulberry32 } from '@postshelf/testing/mulberry32';

/** Numbers that look random and are the same on every run of a seed. */
export class Random {
  /** From 0 to below 1. */
  readonly next: () => number;

  constructor(seed: number) {
    this.next = mulberry32(seed);
  }

  /** A whole number, both ends included. */
  whole(least: number, most: number): number {
    return least + Math.floor(this.next() * (most - least + 1));
  }

  pick<T>(values: readonly T[]): T {
    const value = values[this.whole(0, values.length - 1)];
    if (value === undefined) throw new RangeError('There is nothing to pick from.');
    return value;
  }

  chance(probability: number): boolean {
    return this.next() < probability;
  }
}
