/** Parts that a window is divided into; the oldest bytes are dropped one part at a time. */
const PARTS = 10;

/**
 * Measures how fast bytes arrive, over a window of the last milliseconds spent waiting for them. A fast start or
 * occasional bursts don't make up for a slow rest. Time that the reader itself takes isn't counted.
 */
export class TransferRate {
  /** The oldest first; the last one is still being filled. */
  readonly #parts = [{ waited: 0, bytes: 0 }];
  #waited = 0;
  #bytes = 0;

  /** @param window milliseconds of waiting */
  constructor(private readonly window: number) {}

  /** Records `bytes` that arrived after `waited` milliseconds of waiting. */
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

  /** Whether a whole window has been spent waiting, and bytes arrived more slowly than this. */
  isBelow(bytesPerSecond: number): boolean {
    return this.#waited >= this.window && this.#bytes * 1000 < bytesPerSecond * this.#waited;
  }
}
