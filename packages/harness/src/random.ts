import { normal, randomFrom } from '@postshelf/domain';

/** A random generator that returns the same numbers on every run with the same seed. */
export class Random {
  /** Returns a number from 0 to below 1. */
  readonly next: () => number;

  constructor(seed: number) {
    this.next = randomFrom(seed);
  }

  /** Returns a whole number from 0 to below `end`. */
  below(end: number): number {
    return Math.floor(this.next() * end);
  }

  /** Returns a whole number, both ends included. */
  whole(min: number, max: number): number {
    return min + this.below(max - min + 1);
  }

  between(min: number, max: number): number {
    return min + this.next() * (max - min);
  }

  /** Returns a number from the normal distribution of mean 0 and variance 1. */
  normal(): number {
    return normal(this.next);
  }

  percent(share: number): boolean {
    return this.next() * 100 < share;
  }

  chance(probability: number): boolean {
    return this.next() < probability;
  }

  pickIfAny<T>(values: readonly T[]): T | undefined {
    return values[this.below(values.length)];
  }

  /**
   * Returns one of the values.
   *
   * @throws RangeError if there are none
   */
  pick<T>(values: readonly T[]): T {
    if (values.length === 0) throw new RangeError('There are no values to pick from.');
    return this.pickIfAny(values) as T;
  }
}
