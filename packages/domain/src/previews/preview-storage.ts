import type { Uuid } from '../ids.ts';
import type { StoredObject } from '../objects/object-storage.ts';
import type { PreviewKey } from './previews.ts';

export interface ListedPreview extends PreviewKey {
  /** Bytes. */
  readonly size: number;
}

/**
 * Stores previews beside the objects of media, in a separate folder that {@link ObjectStorage.list} leaves out. All of
 * them can be made again. Methods throw `Refusal` `unavailable` if the storage is out of reach or full.
 */
export interface PreviewStorage {
  /** null where there is none. */
  open(key: PreviewKey): Promise<StoredObject | null>;
  /**
   * Stores a preview atomically, replacing an existing one.
   *
   * @throws Refusal also `storage_low`
   */
  put(key: PreviewKey, bytes: Uint8Array): Promise<void>;
  /** Removes all previews of an item, or of a workspace. Does nothing if there are none. */
  remove(of: { readonly workspaceId: Uuid; readonly id?: Uuid }): Promise<void>;
  /** All previews, unordered. */
  list(): AsyncIterable<ListedPreview>;
}
