import type { Uuid } from '../ids.ts';
import type { StoredObject } from '../objects/object-storage.ts';
import type { PreviewKey } from './previews.ts';

export interface ListedPreview extends PreviewKey {
  readonly size: number;
}

/** In a folder that {@link ObjectStorage.list} leaves out; all can be made again. @throws Refusal `unavailable` */
export interface PreviewStorage {
  open(key: PreviewKey): Promise<StoredObject | null>;
  /** Atomic. @throws Refusal also `storage_low` */
  put(key: PreviewKey, bytes: Uint8Array): Promise<void>;
  remove(of: { readonly workspaceId: Uuid; readonly id?: Uuid }): Promise<void>;
  /** Unordered. */
  list(): AsyncIterable<ListedPreview>;
}
