/** Parts that a window is divided into: bytes are forgotten a part at a time. */
const PARTS = 10;

/**
 * How fast bytes arrive, over a window of the last milliseconds spent waiting for them. A fast start or a burst now and
 * then doesn't make up for a slow rest; time that the reader takes for itself isn't counted.
 */
export class TransferRate {
  /** The oldest first; the last one is still being filled. */
  readonly #parts = [{ waited: 0, bytes: 0 }];
  #waited = 0;
  #bytes = 0;

  /** @param window milliseconds of waiting */
  constructor(private readonly window: number) {}

  /** So many bytes came after so many milliseconds of waiting. */
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

  /** Whether a whole window was waited, in which fewer bytes a second came. */
  isBelow(bytesPerSecond: number): boolean {
    return this.#waited >= this.window && this.#bytes * 1000 < bytesPerSecond * this.#waited;
  }
}
