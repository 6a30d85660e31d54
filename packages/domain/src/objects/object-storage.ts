export interface ByteSource {
  readonly size: number;
  readonly path?: string;
  /** Up to `length` bytes: fewer at the end, none past it. */
  read(offset: number, length: number): Promise<Uint8Array>;
}

/** Bytes that were received completely and aren't under a key yet. */
export interface StagedObject extends ByteSource {
  /** null only if the bytes were sent directly to the storage. */
  readonly sha256: string | null;
  /**
   * Stores the bytes under the key, once and atomically: from then on they survive a power cut. Throws if there is an
   * object. It is unsettled until {@link discard}.
   *
   * @param mime for readers to whom the storage itself serves the object; by default the key's extension says it
   */
  publish(key: string, mime?: string): Promise<void>;
  /** Like {@link publish}, over damaged bytes: after a kill there are the old or the new ones. */
  replace(key: string, mime?: string): Promise<void>;
  /** Removes the staged bytes, or settles the published object. Repeated calls do nothing. */
  discard(): Promise<void>;
}

export interface StoredObject {
  readonly size: number;
  readonly path?: string;
  /** Names these bytes among those that the key may have; absent where they are on this machine's disk. */
  readonly version?: string;
  /** `start` to `end`, both included (RFC 9110 section 14.1.2). */
  body(range?: { readonly start: number; readonly end: number }): ReadableStream<Uint8Array> | Blob;
}

export interface ListedObject {
  readonly key: string;
  readonly size: number;
  /** By the storage's clock. */
  readonly modifiedAt: number;
  /**
   * Whether its row has been written, if it gets one: the publisher has called `discard`, or is dead. False also where
   * it can't be known.
   */
  readonly isSettled: boolean;
  /** By {@link ObjectStorage.hide}. */
  readonly isHidden?: boolean;
}

export interface StageOptions {
  /** Bytes that the body may have. */
  readonly limit: number;
  /** Once it is aborted, what waits for the storage throws `endedEarly` soon. */
  readonly signal?: AbortSignal;
}

export class LimitExceeded extends Error {
  override readonly name = 'LimitExceeded';
}

/**
 * Keys are `full_name`s; for any other all methods throw without touching the storage.
 *
 * @throws Refusal `unavailable`; {@link stage} also `storage_low`
 */
export interface ObjectStorage {
  /**
   * Receives a body with bounded memory; each of its chunks is valid until the next is requested. Throws {@link
   * LimitExceeded}, and errors of the body; what an unreachable storage keeps then, {@link sweepStaging} removes.
   */
  stage(body: AsyncIterable<Uint8Array>, options: StageOptions): Promise<StagedObject>;
  /** A body that is being read stays complete if the object is removed. */
  open(key: string): Promise<StoredObject | null>;
  remove(key: string): Promise<void>;
  /**
   * From then on readers of a public bucket don't find the object. Methods here still do, except possibly during the change.
   * Durable. Does nothing to an object that is missing or hidden, nor where there are no such readers.
   */
  hide(key: string): Promise<void>;
  /** Undoes {@link hide}, whatever other calls of the two are under way: the last one to begin decides. */
  show(key: string): Promise<void>;
  /** Unordered; objects published or removed meanwhile may be left out, and those that were hidden come twice. */
  list(): AsyncIterable<ListedObject>;
  /**
   * Removes what processes known to be dead staged, and what was last written to before the time; settles what such a
   * process published.
   *
   * @param onFreed called with the bytes of each, where they are known
   */
  sweepStaging(before: number, onFreed?: (bytes: number) => void): Promise<number>;
  /** @throws Refusal `unavailable` if the storage can't be written to */
  check(): Promise<void>;
}

export interface Digest {
  readonly size: number;
  /** Lower-case hex. */
  readonly sha256: string;
}

export type Digester = (body: AsyncIterable<Uint8Array>) => Promise<Digest>;

/** URLs under which the storage itself serves objects. */
export interface TemporaryLinks {
  /** A URL for this method alone, whether or not the object exists. Throws for an invalid key. */
  linkTo(
    key: string,
    options: {
      readonly method: 'GET' | 'HEAD';
      /** Whole seconds, 1 to 604,800 (a week). */
      readonly expiresIn: number;
      /** Whether only their readers may store the answers, and no longer than this. Default false. */
      readonly isPrivate?: boolean;
    },
  ): Promise<string>;
}
