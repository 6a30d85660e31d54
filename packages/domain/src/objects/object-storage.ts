/**
 * The bytes of a body: whole and never changed again where they are few, else chunk by chunk. Whole ones pass each layer in
 * one call where chunks take a dozen, which is most of what a small file costs.
 */
export type Body = Uint8Array | AsyncIterable<Uint8Array>;

/** Bytes up to which a body is held whole, 1 MB: as many as Bun receives of a request anyway before somebody reads it. */
export const MAX_WHOLE_BYTES = 1024 * 1024;

/** A body as chunks, for code that takes nothing else. */
export async function* inChunks(body: Body): AsyncGenerator<Uint8Array> {
  if (body instanceof Uint8Array) yield body;
  else yield* body;
}

/** Random access to bytes, wherever they are. */
export interface ByteSource {
  /** Bytes in all. */
  readonly size: number;
  /** Set when the bytes are a local file, for tools that want one. */
  readonly path?: string;
  /** The bytes from `offset`, up to `length` of them: fewer at the end, none past it. */
  read(offset: number, length: number): Promise<Uint8Array>;
}

/** Bytes that were received completely but stand under no key yet, and are not served. */
export interface StagedObject extends ByteSource {
  /** SHA-256 of the bytes, lower-case hex; null only where they came straight to the storage. */
  readonly sha256: string | null;
  /**
   * Puts the bytes under the key, whole or not at all, and durably: after this resolves they survive a power cut.
   * Once only. Keys are used once, so something already there is a fault: throws, and it stays.
   * Until {@link discard} the object counts as unsettled ({@link ListedObject}).
   */
  publish(key: string): Promise<void>;
  /**
   * {@link publish} in place of damaged bytes under the key, in one atomic step: after a kill or a power cut there are the
   * old bytes or the new ones. Where there are none it publishes.
   */
  replace(key: string): Promise<void>;
  /**
   * Ends the staging: drops the bytes, or, after {@link publish}, settles the object. A second call does nothing.
   */
  discard(): Promise<void>;
}

export interface StoredObject {
  /** Bytes in all. */
  readonly size: number;
  /** Set when the bytes are a local file, for tools that want one. */
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
   * True when its row, if it gets one, has been written: the publisher has discarded its staging, or is dead. False
   * says nothing: a storage that can't tell always says false.
   */
  readonly isSettled: boolean;
}

export interface StageOptions {
  /** Bytes that the body may have. */
  readonly limit: number;
  /**
   * Called after every few megabytes of the body that were written to a local file, with what is there so far, and once when
   * all of it is, which may not be synced yet; never where bytes are kept elsewhere. What it is given may be gone as soon as
   * `stage` has ended, but for the path of the whole.
   */
  readonly onGrown?: (beginning: ByteSource, isWhole: boolean) => void;
  /**
   * Aborted when nobody wants the bytes any more: `stage`, and reading what it staged, throw `endedEarly` soon where they wait for
   * a storage out of reach. A local storage, which keeps nobody waiting for long, needn't heed it.
   */
  readonly signal?: AbortSignal;
}

/** Thrown by {@link ObjectStorage.stage} when the body is longer than its limit. */
export class LimitExceeded extends Error {
  override readonly name = 'LimitExceeded';
}

/**
 * Where the bytes of media live. A key is a `full_name`: `{workspace}/{id}/{name}`, two UUIDs and a cleaned name.
 * A key that is no such path (empty, `.` and `..` segments, absolute, control characters) is refused with a throw,
 * never touched. Methods throw `Refusal` `unavailable` when the storage is out of reach or full, {@link ObjectStorage.stage}
 * also `storage_low` where the operator wants some of it kept free.
 */
export interface ObjectStorage {
  /**
   * Receives a body, each chunk of which is good until the next one is asked for. Memory is bounded whatever the body's
   * length: by a chunk and two blocks of some hundred kilobytes where bytes are written as they come, by two parts of some
   * megabytes where they are sent in parts; bytes at hand may be held until they are published, and are written by then. More
   * than `limit` bytes: throws
   * {@link LimitExceeded}. On any error of the body, the error itself is thrown. Nothing is left in either case, save
   * what a storage that is out of reach can't be asked to drop; that and a crash's are for {@link sweepStaging}.
   */
  stage(body: Body, options: StageOptions): Promise<StagedObject>;
  /**
   * The object under the key; null when there is none. A body that is being read stays whole while the object is
   * removed; one not begun yet may fail.
   */
  open(key: string): Promise<StoredObject | null>;
  /** Removes the object. One that isn't there is removed already. */
  remove(key: string): Promise<void>;
  /** Every published object, in no order. One that comes or goes meanwhile may be there or not. */
  list(): AsyncIterable<ListedObject>;
  /**
   * Drops staged bytes that won't be published: those of processes known to be dead, and those last written to before
   * the time (milliseconds since the epoch). Published objects that such a process left unsettled become settled.
   * Answers how many were dropped.
   *
   * @param onFreed called with the bytes of each of them; not for parts whose size the storage doesn't tell
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

/** Addresses under which the storage itself serves published objects for a while: what a redirect points at. */
export interface TemporaryLinks {
  /**
   * A URL that answers this method for the object until it expires, ranges included, with the object's type.
   * Whether there is such an object isn't looked at. A key that is none is refused with a throw.
   */
  linkTo(
    key: string,
    options: {
      /** A link signed for one is refused for the other. */
      readonly method: 'GET' | 'HEAD';
      /** Whole seconds, 1 to 604,800 (a week). */
      readonly expiresIn: number;
    },
  ): Promise<string>;
}
