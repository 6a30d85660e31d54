/** Counts what is under way in this process, by name. */
export class UnderWay {
  readonly #counts = new Map<string, number>();

  /** @param most of one name at once */
  constructor(private readonly most: number) {}

  /**
   * Does the work unless there is enough of it under way already.
   * @returns null, and the work is not begun, when there is
   */
  async run<T>(name: string, work: () => Promise<T>): Promise<{ readonly result: T } | null> {
    const count = this.#counts.get(name) ?? 0;
    if (count >= this.most) return null;
    this.#counts.set(name, count + 1);
    try {
      return { result: await work() };
    } finally {
      const left = (this.#counts.get(name) ?? 1) - 1;
      if (left > 0) this.#counts.set(name, left);
      else this.#counts.delete(name);
    }
  }
}
