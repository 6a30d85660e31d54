/** Numbers that look random and are the same on every run of a seed. */
export class Random {
  #state: number;

  constructor(seed: number) {
    this.#state = seed >>> 0;
  }

  /** From 0 to below 1 (mulberry32). */
  next(): number {
    this.#state = (this.#state + 0x6d2b79f5) >>> 0;
    let mixed = this.#state;
    mixed = Math.imul(mixed ^ (mixed >>> 15), mixed | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
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
