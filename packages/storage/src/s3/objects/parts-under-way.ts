/**
 * Bounds the parts that the process holds beside the one that each upload fills: parts that are sent while the next one is
 * received. An upload takes a spare part only while a part is being sent, and continues without one if none is left. So no
 * upload waits for another, even if the store hangs.
 */
export class SpareParts {
  #taken = 0;

  /** @param most of all uploads @param mostOfOne of one upload */
  constructor(
    private readonly most: number,
    readonly mostOfOne: number,
  ) {}

  /** Takes one for as long as the work lasts, where one is left; null where none is. */
  tryLend(work: Promise<unknown>): Promise<void> | null {
    if (this.#taken === this.most) return null;
    this.#taken += 1;
    const giveBack = (): void => {
      this.#taken -= 1;
    };
    return work.then(giveBack, giveBack);
  }
}

/** The parts of one upload that are being sent. */
export class PartsUnderWay {
  readonly #spares = new Set<Promise<void>>();
  readonly #failed = Promise.withResolvers<never>();

  constructor(private readonly process: SpareParts) {
    // Whoever adds a part gets it; until then it must not count as unhandled.
    this.#failed.promise.catch(() => undefined);
  }

  /**
   * Resolves when another part may be filled meanwhile.
   *
   * @throws what sending one of them has failed with
   */
  async add(sending: Promise<void>): Promise<void> {
    sending.catch(this.#failed.reject);
    const spare = this.#spares.size < this.process.mostOfOne ? this.process.tryLend(sending) : null;
    if (spare) this.#keep(spare);
    await Promise.race([this.#failed.promise, spare ? null : sending]);
  }

  /** Resolves when all are sent. @throws as {@link add} */
  async end(): Promise<void> {
    await Promise.race([this.#failed.promise, Promise.all(this.#spares)]);
  }

  #keep(spare: Promise<void>): void {
    this.#spares.add(spare);
    void spare.then(() => this.#spares.delete(spare));
  }
}
