import type { Uuid } from '../ids.ts';
import type { StoredObject } from '../objects/object-storage.ts';
import type { PreviewKey } from './previews.ts';

export interface ListedPreview extends PreviewKey {
  readonly size: number;
}

/**
 * Beside the objects, in a folder that {@link ObjectStorage.list} leaves out; all can be made again.
 *
 * @throws Refusal `unavailable` if the storage is out of reach or full
 */
export interface PreviewStorage {
  open(key: PreviewKey): Promise<StoredObject | null>;
  /**
   * Atomic, over an existing one.
   *
   * @throws Refusal also `storage_low`
   */
  put(key: PreviewKey, bytes: Uint8Array): Promise<void>;
  /** Of an item, or of a workspace. Does nothing if there are none. */
  remove(of: { readonly workspaceId: Uuid; readonly id?: Uuid }): Promise<void>;
  /** Unordered. */
  list(): AsyncIterable<ListedPreview>;
}
