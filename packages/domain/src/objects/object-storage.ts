import { Refusal } from '../errors.ts';

export interface ByteSource {
  readonly size: number;
  readonly path?: string;
  /** Reads up to `length` bytes: fewer at the end, none beyond it. */
  read(offset: number, length: number): Promise<Uint8Array>;
}

/** Bytes that were received completely but have no key yet. */
export interface StagedObject extends ByteSource {
  /** The hash of the bytes; null only if a client sent them directly to the storage. */
  readonly sha256: string | null;
  /**
   * Stores the bytes under the key, once and atomically; they then survive a power cut. Throws if the key already has
   * an object. The new object is unsettled until {@link discard} is called.
   *
   * @param mime the type for readers that the storage itself serves; by default the key's extension decides it
   * @throws UnusableName
   */
  publish(key: string, mime?: string): Promise<void>;
  /**
   * Like {@link publish}, but replaces damaged bytes. If the process is killed, the key has either the old or the new
   * bytes.
   */
  replace(key: string, mime?: string): Promise<void>;
  /** Discards the staged bytes, or settles the published object. Repeated calls do nothing. */
  discard(): Promise<void>;
}

export interface StoredObject {
  readonly size: number;
  readonly path?: string;
  /** Identifies these bytes among all bytes that the key may ever have; absent if they are on this machine's disk. */
  readonly version?: string;
  /** Returns the bytes from `start` to `end`, both included (RFC 9110 section 14.1.2). */
  body(range?: { readonly start: number; readonly end: number }): ReadableStream<Uint8Array> | Blob;
}

export interface ListedObject {
  readonly key: string;
  readonly size: number;
  /** The time by the storage's clock. */
  readonly modifiedAt: number;
  /**
   * Whether the object is settled: the process that published it has called `discard` or is dead, so it won't write a
   * row for the object any more. Also false if that isn't known.
   */
  readonly isSettled: boolean;
  /** Whether the object is hidden by {@link ObjectStorage.hide}. */
  readonly isHidden?: boolean;
}

export interface StageOptions {
  /** Maximum size of the body in bytes. */
  readonly limit: number;
  /** Once the signal is aborted, calls that wait for the storage soon throw `endedEarly`. */
  readonly signal?: AbortSignal;
}

export class LimitExceeded extends Error {
  override readonly name = 'LimitExceeded';
}

/**
 * Thrown if the storage can't have an object with this name, because its file system forbids a character or allows only
 * shorter names; nothing is stored then. The error is on `file`, unless the caller knows a better field.
 */
export class UnusableName extends Refusal {
  readonly sentence: string;

  constructor(name: string, options?: { cause: unknown }) {
    const sentence = `The storage can't have a file with the name “${name}”. Choose a shorter name without special characters.`;
    super({ code: 'invalid', errors: { file: [sentence] } }, options);
    this.sentence = sentence;
  }
}

/**
 * Keys are `full_name`s. All methods throw for any other key, without touching the storage.
 *
 * @throws Refusal `unavailable`; {@link stage} also `storage_low`
 */
export interface ObjectStorage {
  /**
   * Receives a body with bounded memory; each of its chunks is valid until the next is requested. Throws
   * {@link LimitExceeded} and errors of the body. If an error occurs while the storage is unreachable, the received
   * bytes stay in the storage until {@link discardAbandoned} discards them.
   */
  stage(body: AsyncIterable<Uint8Array>, options: StageOptions): Promise<StagedObject>;
  /** Opens an object. A body that is being read stays complete if the object is purged. */
  open(key: string): Promise<StoredObject | null>;
  purge(key: string): Promise<void>;
  /**
   * Hides an object from readers of a public bucket, durably. Methods here still find it, except possibly during the
   * change. Does nothing if the object is missing or hidden, or if the storage has no public bucket.
   */
  hide(key: string): Promise<void>;
  /** Undoes {@link hide}. If calls of the two overlap, the last one to start decides. */
  show(key: string): Promise<void>;
  /**
   * Lists objects in no particular order. Objects that are published or purged meanwhile may be missing, and objects
   * that are hidden meanwhile may appear twice.
   */
  list(): AsyncIterable<ListedObject>;
  /**
   * Discards bytes that dead processes have staged, and staged files that were last written to before the given time.
   * Settles objects that dead processes have published.
   *
   * @param onFreed called with the size of each discarded file in bytes, if it is known
   */
  discardAbandoned(before: number, onFreed?: (bytes: number) => void): Promise<number>;
  /** Checks the storage. @throws Refusal `unavailable` if it can't be written to */
  check(): Promise<void>;
}

export interface Digest {
  readonly size: number;
  /** Lower-case hex. */
  readonly sha256: string;
}

export type Digester = (body: AsyncIterable<Uint8Array>) => Promise<Digest>;

/** Makes URLs under which the storage itself serves objects. */
export interface TemporaryLinks {
  /** Returns a URL for this HTTP method only, whether or not the object exists. Throws for an invalid key. */
  linkTo(
    key: string,
    options: {
      readonly method: 'GET' | 'HEAD';
      /** Whole seconds, 1 to 604,800 (a week). */
      readonly expiresIn: number;
      /**
       * Whether only the readers themselves may cache the responses, and only until the URL expires. Default: false.
       */
      readonly isPrivate?: boolean;
      /** The header `Content-Disposition` of the responses (RFC 6266). Default: none. */
      readonly disposition?: string | undefined;
    },
  ): Promise<string>;
}
