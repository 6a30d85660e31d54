/**
 * Limits the spare parts in memory. Each upload may hold one part in any case; its further parts are spare parts. An
 * upload that gets no spare part waits only until its own part is sent, so no upload waits for another, even if the
 * store hangs.
 */
export class SpareParts {
  #taken = 0;

  /**
   * @param max maximum number for all uploads together
   * @param maxPerUpload maximum number for each upload
   */
  constructor(
    private readonly max: number,
    readonly maxPerUpload: number,
  ) {}

  /** Lends a spare part until the work has ended. Returns null if no spare part is left. */
  tryLend(work: Promise<unknown>): Promise<void> | null {
    if (this.#taken === this.max) return null;
    this.#taken += 1;
    const release = (): void => {
      this.#taken -= 1;
    };
    return work.then(release, release);
  }
}

/** The parts of one upload that are being sent. */
export class PartsUnderWay {
  /** The spare parts that this upload holds, as promises that resolve when the parts have been sent. */
  readonly #spares = new Set<Promise<void>>();
  readonly #failed = Promise.withResolvers<never>();

  /** @param spareParts the spare parts of all uploads of this process */
  constructor(private readonly spareParts: SpareParts) {
    // `add` and `end` throw the error.
    this.#failed.promise.catch(() => undefined);
  }

  /**
   * Adds a part that is being sent. Resolves when another part may be filled: immediately if a spare part is left,
   * otherwise once this part has been sent.
   *
   * @throws the error of sending any of the parts
   */
  async add(sending: Promise<void>): Promise<void> {
    sending.catch(this.#failed.reject);
    const spare = this.#spares.size < this.spareParts.maxPerUpload ? this.spareParts.tryLend(sending) : null;
    if (spare) this.#keep(spare);
    await Promise.race([this.#failed.promise, spare ? null : sending]);
  }

  /** Resolves once all parts have been sent. @throws as {@link add} */
  async end(): Promise<void> {
    await Promise.race([this.#failed.promise, Promise.all(this.#spares)]);
  }

  #keep(spare: Promise<void>): void {
    this.#spares.add(spare);
    void spare.then(() => this.#spares.delete(spare));
  }
}
