import type { Uuid } from '../ids.ts';
import type { StoredObject } from '../objects/object-storage.ts';
import type { PreviewKey } from './previews.ts';

export interface ListedPreview extends PreviewKey {
  readonly size: number;
}

/**
 * Stores previews in a folder that {@link ObjectStorage.list} skips; all can be made again.
 *
 * @throws Refusal `unavailable`
 */
export interface PreviewStorage {
  open(key: PreviewKey): Promise<StoredObject | null>;
  /** Stores a preview atomically. @throws Refusal `unavailable` or `storage_low` */
  put(key: PreviewKey, bytes: Uint8Array): Promise<void>;
  purge(of: { readonly workspaceId: Uuid; readonly id?: Uuid }): Promise<void>;
  /** Lists previews in no particular order. */
  list(): AsyncIterable<ListedPreview>;
}
