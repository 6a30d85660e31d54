import type { StagedObject, StageOptions, StoredObject } from '@postshelf/domain';

/**
 * The interface of a storage backend, on which the code for objects, previews and the trash is built. A key is either
 * the key of an object (`{workspace}/{id}/{name}`), or such a key in one of the folders `.previews/` and
 * `.trash/{time}/`. Any number of processes may share a store.
 *
 * @throws Refusal `unavailable`; {@link stage} and {@link put} also `storage_low`
 */
export interface KeyStore {
  /** Whether readers may bypass this service, as they can with a public bucket. */
  readonly isReadByOthers: boolean;
  /** Receives a body, see `ObjectStorage.stage`. */
  stage(body: AsyncIterable<Uint8Array>, options: StageOptions): Promise<StagedBytes>;
  /** Stores bytes under a key, atomically. Replaces any bytes that are there. */
  put(key: string, bytes: Uint8Array, mime: string): Promise<void>;
  find(key: string): Promise<Found | null>;
  /**
   * Throws if the whole store is missing. Stores whose {@link find} throws in this case don't need the check, and do
   * nothing.
   */
  requirePresent(): Promise<void>;
  /** Lists keys in no particular order; foreign keys may be among them. An empty prefix lists only objects. */
  list(prefix: string): AsyncIterable<ListedKey>;
  /** Returns the names of the folders directly below a prefix, which ends with a slash. */
  folders(prefix: string): Promise<readonly string[]>;
  /**
   * Publishes bytes under the key of an object durably, without ever replacing an object. The former key may remain.
   */
  publish(found: Found, key: string): Promise<'published' | 'taken' | 'gone'>;
  /**
   * Moves bytes to another key, durably. If the process is killed, either key or both may have the bytes. The new key
   * must be unused, unless it is the key of a hidden object, whose bytes are replaced. Returns false if the bytes or a
   * folder were removed in the meantime.
   */
  move(found: Found, key: string): Promise<boolean>;
  /** Purges a key durably; does nothing if it is missing. */
  purge(key: string): Promise<void>;
  /** Like {@link purge}, for a key from a listing. The key may reappear after a power cut. */
  purgeListed(key: string): Promise<void>;
  /** See `ObjectStorage.discardAbandoned`. */
  discardAbandoned(before: number, onFreed?: (bytes: number) => void): Promise<number>;
  /** See `ObjectStorage.check`. */
  check(): Promise<void>;
}

export interface Found extends StoredObject {
  readonly key: string;
  /** The type that the store itself sends to readers. */
  readonly mime?: string;
}

export interface ListedKey {
  readonly key: string;
  readonly size: number;
  /** Milliseconds since the epoch, by the store's clock; many buckets round it to whole seconds. */
  readonly modifiedAt: number;
  /** False while the bytes are being published or moved, and so have a second name; null if the store can't tell. */
  readonly isSettled: boolean | null;
}

/** Staged bytes as a backend keeps them. The caller, `staged`, checks keys, and reads only ranges that exist. */
export interface StagedBytes extends Pick<StagedObject, 'size' | 'sha256' | 'path' | 'read'> {
  /**
   * Stores the bytes under an object's key, atomically and durably. Returns false if the key already has an object and
   * `options.replaces` is false.
   */
  put(key: string, options: PutOptions): Promise<boolean>;
  /** Discards the bytes that are still staged. Called once. */
  discard(): Promise<void>;
}

export interface PutOptions {
  readonly replaces: boolean;
  /** The type that the store itself sends to readers. Default: the type of the key's extension. */
  readonly mime?: string;
}
