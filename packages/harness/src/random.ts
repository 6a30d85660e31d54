/** mulberry32 */
function mulberry32(seed: number): () => number {
  let state = seed >>> 0;
  return () => {
    state = (state + 0x6d2b79f5) >>> 0;
    let mixed = state;
    mixed = Math.imul(mixed ^ (mixed >>> 15), mixed | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
}

/** The same numbers on every run of a seed. */
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

  /** A whole number, both ends included. */
  whole(least: number, most: number): number {
    return least + this.below(most - least + 1);
  }

  between(least: number, most: number): number {
    return least + this.next() * (most - least);
  }

  /** From the normal distribution of mean 0 and variance 1 (Box and Muller). */
  normal(): number {
    return Math.sqrt(-2 * Math.log(1 - this.next())) * Math.cos(2 * Math.PI * this.next());
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

  /** @throws RangeError when there is none */
  pick<T>(values: readonly T[]): T {
    if (values.length === 0) throw new RangeError('There is nothing to pick from.');
    return this.pickIfAny(values) as T;
  }
}
