/** Milliseconds for which an unused copy is kept, because social networks fetch a file several times within minutes. */
export const COPY_LIFE = 10 * 60_000;

/** A range of an object's bytes, both ends included (RFC 9110 section 14.1.2). */
export interface ObjectPart {
  readonly key: string;
  /**
   * Identifies the object's bytes (`StoredObject.version`), because another object may be stored under the key later.
   */
  readonly version: string;
  readonly start: number;
  readonly end: number;
}

export const nameOfPart = ({ key, version, start, end }: ObjectPart): string => `${start}-${end} ${version} ${key}`;

/**
 * Keeps copies on this machine's disk of bytes that are stored elsewhere. With a copy, a server knows how long a file
 * is and can send it to a slow reader without holding memory or a connection to the store (docs/decisions/20-links.md).
 */
export interface LocalCopies {
  /** Returns the copy that {@link make} made earlier; null if there is none, or it has expired. */
  find(part: ObjectPart): Blob | null;
  /**
   * Copies the part. Returns null, without reading the body, if there is no room for it.
   *
   * @throws the errors of the body; Error if the body is longer or shorter than the part
   */
  make(part: ObjectPart, body: () => AsyncIterable<Uint8Array>): Promise<Blob | null>;
}
