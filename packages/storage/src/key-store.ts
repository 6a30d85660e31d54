import type { StagedObject, StageOptions, StoredObject } from '@postshelf/domain';

/**
 * What a backend supplies: objects, previews and the trash are written once over it. Keys are those of objects
 * (`{workspace}/{id}/{name}`), and such keys in the folders `.previews/` and `.trash/{time}/`. Any number of processes
 * may share a store.
 *
 * @throws Refusal `unavailable`; {@link stage} and {@link put} also `storage_low`
 */
export interface KeyStore {
  /** Whether there may be readers who don't ask this service, as of a public bucket. */
  readonly isReadByOthers: boolean;
  /** Receives a body, see `ObjectStorage.stage`. */
  stage(body: AsyncIterable<Uint8Array>, options: StageOptions): Promise<StagedBytes>;
  /** Stores bytes, or replaces those of the key, atomically. */
  put(key: string, bytes: Uint8Array, mime: string): Promise<void>;
  find(key: string): Promise<Found | null>;
  /** Throws if the whole store is missing, unless {@link find} does so. */
  requirePresent(): Promise<void>;
  /** Lists keys without order; other people's keys may be among them. An empty prefix stands for objects alone. */
  list(prefix: string): AsyncIterable<ListedKey>;
  /** Returns the names of the folders directly below a prefix, which ends with a slash. */
  folders(prefix: string): Promise<readonly string[]>;
  /** Gives bytes the key of an object durably, never replacing another one. The former key may remain. */
  publish(found: Found, key: string): Promise<'published' | 'taken' | 'gone'>;
  /**
   * Moves bytes to another key, durably: a kill leaves them under the one key, the other, or both. The key is unused,
   * except that of a hidden object, whose bytes are replaced. Returns false if the moved bytes, or a folder, were
   * removed meanwhile.
   */
  move(found: Found, key: string): Promise<boolean>;
  /** Removes a key durably; does nothing if it is missing. */
  remove(key: string): Promise<void>;
  /** Like {@link remove}, but a listed key, which may reappear after a power cut. */
  drop(key: string): Promise<void>;
  /** See `ObjectStorage.sweepStaging`. */
  sweepStaging(before: number, onFreed?: (bytes: number) => void): Promise<number>;
  /** See `ObjectStorage.check`. */
  check(): Promise<void>;
}

export interface Found extends StoredObject {
  readonly key: string;
  /** The type that the store itself tells readers. */
  readonly mime?: string;
}

export interface ListedKey {
  readonly key: string;
  readonly size: number;
  /** Milliseconds since the epoch, by the store's clock. */
  readonly modifiedAt: number;
  /** False while a publisher, or who moves them, has another name of the bytes; null if that can't be known. */
  readonly isSettled: boolean | null;
}

/** Staged bytes as a backend keeps them. `staged` checks keys, and reads only bytes that exist. */
export interface StagedBytes extends Pick<StagedObject, 'size' | 'sha256' | 'path' | 'read'> {
  /** Stores the bytes under an object's key, atomically and durably. Returns false if it is taken, and not replaced. */
  put(key: string, options: PutOptions): Promise<boolean>;
  /** Removes what is still staged. Called once. */
  drop(): Promise<void>;
}

export interface PutOptions {
  readonly replaces: boolean;
  /** The type for readers of the store itself; by default that of the key's extension. */
  readonly mime?: string;
}
