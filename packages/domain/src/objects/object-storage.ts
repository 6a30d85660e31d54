/** Random access to bytes, wherever they are stored. */
export interface ByteSource {
  /** Bytes in all. */
  readonly size: number;
  /** Set if the bytes are in a local file, for tools that need one. */
  readonly path?: string;
  /** The bytes from `offset`, up to `length` of them: fewer at the end, none past it. */
  read(offset: number, length: number): Promise<Uint8Array>;
}

/** Bytes that were received completely but aren't stored under a key yet, and aren't served. */
export interface StagedObject extends ByteSource {
  /** SHA-256 of the bytes, lower-case hex; null only if they were sent directly to the storage. */
  readonly sha256: string | null;
  /**
   * Stores the bytes under the key, atomically and durably: after this resolves they survive a power cut. May be called
   * once. Keys are used once, so an existing object is a fault: throws and keeps it. Until {@link discard} the object
   * counts as unsettled ({@link ListedObject}).
   */
  publish(key: string): Promise<void>;
  /**
   * Like {@link publish}, but replaces damaged bytes under the key in one atomic step: after a kill or a power cut
   * there are either the old bytes or the new ones. Publishes if there are none.
   */
  replace(key: string): Promise<void>;
  /**
   * Ends the staging: removes the staged bytes or, after {@link publish}, settles the object. Repeated calls do
   * nothing.
   */
  discard(): Promise<void>;
}

export interface StoredObject {
  /** Bytes in all. */
  readonly size: number;
  /** Set if the bytes are in a local file, for tools that need one. */
  readonly path?: string;
  /** Bytes from `start` to `end`, both included (RFC 9110 section 14.1.2); all of them when absent. */
  body(range?: { readonly start: number; readonly end: number }): ReadableStream<Uint8Array> | Blob;
}

export interface ListedObject {
  readonly key: string;
  /** Bytes. */
  readonly size: number;
  /** When it was published. Milliseconds since the epoch, by the storage's clock. */
  readonly modifiedAt: number;
  /**
   * True if its row, if it gets one, has been written: the publisher has called `discard`, or is dead. False means that
   * it isn't known; a storage that can never know always says false.
   */
  readonly isSettled: boolean;
}

export interface StageOptions {
  /** Most bytes that the body may have. */
  readonly limit: number;
  /**
   * Aborted when the bytes aren't needed any more: `stage`, and reading what it staged, then throw `endedEarly` soon if
   * they wait for an unreachable storage. A local storage, which never takes long, may ignore it.
   */
  readonly signal?: AbortSignal;
}

/** Thrown by {@link ObjectStorage.stage} if the body is longer than its limit. */
export class LimitExceeded extends Error {
  override readonly name = 'LimitExceeded';
}

/**
 * Stores the bytes of media. A key is a `full_name`: `{workspace}/{id}/{name}`, two UUIDs and a cleaned name. For any
 * other key (empty, `.` and `..` segments, absolute, control characters) all methods throw without accessing the
 * storage. Methods throw `Refusal` `unavailable` if the storage is out of reach or full, {@link ObjectStorage.stage}
 * also `storage_low` if the rest of it is the operator's reserve.
 */
export interface ObjectStorage {
  /**
   * Receives a body, of which each chunk is valid until the next one is requested. Memory is bounded whatever the
   * body's length: by a chunk and two blocks of some hundred kilobytes if bytes are written as they arrive, by two
   * parts of some megabytes if they are sent in parts. A small body may be held in memory until it is published, and is
   * written by then. Throws {@link LimitExceeded} above `limit` bytes, and rethrows any error of the body. In both
   * cases no bytes remain, except those that an unreachable storage couldn't remove; these, and those left by a crash,
   * are removed by {@link sweepStaging}.
   */
  stage(body: AsyncIterable<Uint8Array>, options: StageOptions): Promise<StagedObject>;
  /**
   * The object under the key; null if there is none. A body that is being read stays complete if the object is removed
   * meanwhile; one whose reading hasn't started may fail.
   */
  open(key: string): Promise<StoredObject | null>;
  /** Removes the object. Does nothing if there is none. */
  remove(key: string): Promise<void>;
  /** All published objects, unordered. Objects published or removed meanwhile may or may not be included. */
  list(): AsyncIterable<ListedObject>;
  /**
   * Removes staged bytes that won't be published: those of processes known to be dead, and those last written to before
   * the time (milliseconds since the epoch). Published objects that such a process left unsettled become settled.
   * Returns how many staged objects were removed.
   *
   * @param onFreed called with the size of each of them in bytes; not for parts whose size the storage doesn't report
   */
  sweepStaging(before: number, onFreed?: (bytes: number) => void): Promise<number>;
  /** Resolves when the storage can be written to; throws `Refusal` `unavailable` otherwise. */
  check(): Promise<void>;
}

/** The size and hash of a body. */
export interface Digest {
  /** Bytes. */
  readonly size: number;
  /** Lower-case hex. */
  readonly sha256: string;
}

/** Reads a body to its end, one chunk at a time. Throws what the body throws. */
export type Digester = (body: AsyncIterable<Uint8Array>) => Promise<Digest>;

/** Temporary addresses, for redirects, under which the storage itself serves published objects. */
export interface TemporaryLinks {
  /**
   * A URL that serves the object for this method until it expires, with its type and with range requests. Doesn't check
   * whether the object exists. Throws for an invalid key.
   */
  linkTo(
    key: string,
    options: {
      /** A link for one of them is refused for the other. */
      readonly method: 'GET' | 'HEAD';
      /** Whole seconds, 1 to 604,800 (a week). */
      readonly expiresIn: number;
    },
  ): Promise<string>;
}
