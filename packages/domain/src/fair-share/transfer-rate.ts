const PARTS = 10;

/**
 * Measures the transfer rate over a sliding window. Only time spent waiting for bytes counts. An early burst soon drops
 * out of the window, so it doesn't hide that the transfer has become slow.
 */
export class TransferRate {
  readonly #parts = [{ waited: 0, bytes: 0 }];
  #waited = 0;
  #bytes = 0;

  /** @param window the window's length, in milliseconds spent waiting for bytes */
  constructor(private readonly window: number) {}

  add(waited: number, bytes: number): void {
    const last = this.#parts.at(-1);
    if (last && last.waited < this.window / PARTS) {
      last.waited += waited;
      last.bytes += bytes;
    } else {
      this.#parts.push({ waited, bytes });
    }
    this.#waited += waited;
    this.#bytes += bytes;
    for (let [oldest] = this.#parts; oldest && this.#waited - oldest.waited >= this.window; [oldest] = this.#parts) {
      this.#parts.shift();
      this.#waited -= oldest.waited;
      this.#bytes -= oldest.bytes;
    }
  }

  /** Whether a whole window has passed at less than this rate. */
  isBelow(bytesPerSecond: number): boolean {
    return this.#waited >= this.window && this.#bytes * 1000 < bytesPerSecond * this.#waited;
  }
}
