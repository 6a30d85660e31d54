/** Random access to bytes, wherever they are. */
export interface ByteSource {
  readonly size: number;
  /** Set for a local file, for tools that need one. */
  readonly path?: string;
  /** Up to `length` bytes from `offset`: fewer at the end, none past it. */
  read(offset: number, length: number): Promise<Uint8Array>;
}

/** Received completely, not under a key yet, not served. */
export interface StagedObject extends ByteSource {
  /** Lower-case hex; null only if the bytes were sent directly to the storage. */
  readonly sha256: string | null;
  /**
   * Atomic and durable: afterwards the bytes survive a power cut. Once; an object under the key is a fault: throws and
   * keeps it. Unsettled until {@link discard} ({@link ListedObject}).
   */
  publish(key: string): Promise<void>;
  /** As {@link publish}, over damaged bytes in one step: after a kill there are the old bytes or the new ones. */
  replace(key: string): Promise<void>;
  /** Removes the staged bytes or, after {@link publish}, settles the object. Repeated calls do nothing. */
  discard(): Promise<void>;
}

export interface StoredObject {
  readonly size: number;
  readonly path?: string;
  /** `start` to `end`, both included (RFC 9110 section 14.1.2); by default all. */
  body(range?: { readonly start: number; readonly end: number }): ReadableStream<Uint8Array> | Blob;
}

export interface ListedObject {
  readonly key: string;
  readonly size: number;
  /** Milliseconds since the epoch, by the storage's clock. */
  readonly modifiedAt: number;
  /**
   * Whether its row, if it gets one, has been written: the publisher has called `discard`, or is dead. False also where
   * it can't be known.
   */
  readonly isSettled: boolean;
}

export interface StageOptions {
  /** Bytes. */
  readonly limit: number;
  /**
   * Aborted: `stage` and reads of what it staged throw `endedEarly` soon if they wait for the storage. A local one may
   * ignore it.
   */
  readonly signal?: AbortSignal;
}

export class LimitExceeded extends Error {
  override readonly name = 'LimitExceeded';
}

/**
 * Keys are `full_name`s: two UUIDs and a cleaned name. For any other all methods throw without touching the storage.
 * They throw `Refusal` `unavailable` if it is out of reach or full; {@link stage} also `storage_low`.
 */
export interface ObjectStorage {
  /**
   * Receives a body, of which each chunk is valid until the next is requested, with bounded memory: some blocks of
   * hundreds of kilobytes, or two parts of megabytes. Throws {@link LimitExceeded}, and errors of the body; no bytes
   * remain then, except those that {@link sweepStaging} removes later.
   */
  stage(body: AsyncIterable<Uint8Array>, options: StageOptions): Promise<StagedObject>;
  /** null if there is none. A body that is being read stays complete if the object is removed. */
  open(key: string): Promise<StoredObject | null>;
  /** Does nothing if there is none. */
  remove(key: string): Promise<void>;
  /** All published ones, unordered; those of the moment may be left out. */
  list(): AsyncIterable<ListedObject>;
  /**
   * Removes staged bytes of processes known to be dead, and those last written to before the time; settles what such a
   * process published.
   *
   * @param onFreed called with the bytes of each, where the storage reports them
   * @returns how many
   */
  sweepStaging(before: number, onFreed?: (bytes: number) => void): Promise<number>;
  /** Resolves when the storage can be written to. @throws Refusal `unavailable` */
  check(): Promise<void>;
}

export interface Digest {
  readonly size: number;
  /** Lower-case hex. */
  readonly sha256: string;
}

/** Reads a body to its end. Throws what the body throws. */
export type Digester = (body: AsyncIterable<Uint8Array>) => Promise<Digest>;

/** Temporary addresses under which the storage itself serves objects. */
export interface TemporaryLinks {
  /** Serves the object, if it exists, for this method, with its type and ranges. Throws for an invalid key. */
  linkTo(
    key: string,
    options: {
      /** A link for one is refused for the other. */
      readonly method: 'GET' | 'HEAD';
      /** Whole seconds, 1 to 604,800 (a week). */
      readonly expiresIn: number;
    },
  ): Promise<string>;
}
