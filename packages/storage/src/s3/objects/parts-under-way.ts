/**
 * Limits the spare parts in memory. Each upload may hold one part in any case; its further parts are spare parts. An
 * upload that gets no spare part waits only until its own part is sent, so no upload waits for another, even if the
 * store hangs.
 */
export class SpareParts {
  #taken = 0;

  /**
   * @param most maximum for all uploads together
   * @param mostOfOne maximum for each upload
   */
  constructor(
    private readonly most: number,
    readonly mostOfOne: number,
  ) {}

  /** Lends a spare part until the work has ended. Returns null if no spare part is left. */
  tryLend(work: Promise<unknown>): Promise<void> | null {
    if (this.#taken === this.most) return null;
    this.#taken += 1;
    const release = (): void => {
      this.#taken -= 1;
    };
    return work.then(release, release);
  }
}

export class PartsUnderWay {
  readonly #spares = new Set<Promise<void>>();
  readonly #failed = Promise.withResolvers<never>();

  constructor(private readonly process: SpareParts) {
    // `add` and `end` throw the error.
    this.#failed.promise.catch(() => undefined);
  }

  /**
   * Resolves when another part may be filled.
   *
   * @throws the error of sending any of the parts
   */
  async add(sending: Promise<void>): Promise<void> {
    sending.catch(this.#failed.reject);
    const spare = this.#spares.size < this.process.mostOfOne ? this.process.tryLend(sending) : null;
    if (spare) this.#keep(spare);
    await Promise.race([this.#failed.promise, spare ? null : sending]);
  }

  /** @throws as {@link add} */
  async end(): Promise<void> {
    await Promise.race([this.#failed.promise, Promise.all(this.#spares)]);
  }

  #keep(spare: Promise<void>): void {
    this.#spares.add(spare);
    void spare.then(() => this.#spares.delete(spare));
  }
}
