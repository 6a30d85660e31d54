import { mulberry32 } from '@postshelf/testing/mulberry32';

/** Numbers that look random and are the same on every run of a seed. */
export class Random {
  /** From 0 to below 1. */
  readonly next: () => number;

  constructor(seed: number) {
    this.next = mulberry32(seed);
  }

  /** A whole number from 0 to below `end`. */
  below(end: number): number {
    return Math.floor(this.next() * end);
  }

  between(least: number, most: number): number {
    return least + this.next() * (most - least);
  }

  /** From the normal distribution of mean 0 and variance 1 (Box and Muller). */
  normal(): number {
    return Math.sqrt(-2 * Math.log(1 - this.next())) * Math.cos(2 * Math.PI * this.next());
  }
}
