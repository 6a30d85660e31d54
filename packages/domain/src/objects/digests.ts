/** What a body turned out to be. */
export interface Digest {
  /** Bytes. */
  readonly size: number;
  /** Lower-case hex. */
  readonly sha256: string;
}

/** Reads a body to its end, one chunk at a time, and says what it was. Throws what the body throws. */
export type Digester = (body: AsyncIterable<Uint8Array>) => Promise<Digest>;
