import type { Uuid } from '../ids.ts';
import type { StoredObject } from '../objects/object-storage.ts';
import type { PreviewKey } from './previews.ts';

export interface ListedPreview extends PreviewKey {
  /** Bytes. */
  readonly size: number;
}

/**
 * Where previews are kept: beside the objects of media, in a folder of their own that {@link ObjectStorage.list} leaves out.
 * All of them can be made anew. Methods throw `Refusal` `unavailable` when the storage is out of reach or full.
 */
export interface PreviewStorage {
  /** null where there is none. */
  open(key: PreviewKey): Promise<StoredObject | null>;
  /**
   * Keeps a preview, whole or not at all; one that is there already gives way.
   *
   * @throws Refusal also `storage_low`
   */
  put(key: PreviewKey, bytes: Uint8Array): Promise<void>;
  /** Removes all of an item, or of a workspace. What isn't there is removed already. */
  remove(of: { readonly workspaceId: Uuid; readonly id?: Uuid }): Promise<void>;
  /** All of them, in no order. */
  list(): AsyncIterable<ListedPreview>;
}
