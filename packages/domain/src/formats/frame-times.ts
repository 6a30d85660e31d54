const MAX_KINDS = 64;

/** Sums the durations of a track's samples while they are read, in the track's time units. */
export class FrameTimes {
  samples = 0;
  duration = 0;
  readonly #kinds = new Map<number, number>();

  add(samples: number, each: number): void {
    if (samples === 0) return;
    this.samples += samples;
    this.duration += samples * each;
    const known = this.#kinds.get(each);
    if (known !== undefined || this.#kinds.size < MAX_KINDS) this.#kinds.set(each, (known ?? 0) + samples);
  }

  addAll(others: FrameTimes): void {
    const counted = [...others.#kinds].reduce((sum, [each, samples]) => {
      this.add(samples, each);
      return sum + samples * each;
    }, 0);
    this.samples += others.samples - [...others.#kinds.values()].reduce((sum, samples) => sum + samples, 0);
    this.duration += others.duration - counted;
  }

  /** Whether every sample has this duration. */
  isOne(each: number): boolean {
    return this.#kinds.size === 1 && this.#kinds.has(each);
  }

  /**
   * Returns the samples per second; null if there are no times. If at most two samples, and no more than 5% of all
   * samples, differ from the most frequent duration, the rate is computed from this duration, because muxers stretch
   * the first and the last sample. Otherwise, it is computed from the average duration.
   */
  rate(timescale: number): number | null {
    const [[usual, samples] = [0, 0]] = [...this.#kinds].sort(([, one], [, other]) => other - one);
    const others = this.samples - samples;
    const rate =
      others <= 2 && others * 20 <= this.samples ? timescale / usual : (this.samples * timescale) / this.duration;
    return Number.isFinite(rate) && rate > 0 ? Math.round(rate * 1000) / 1000 : null;
  }
}
