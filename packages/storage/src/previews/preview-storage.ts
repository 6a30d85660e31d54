import type { ListedPreview, PreviewKey, PreviewStorage, StoredObject } from '@postshelf/domain';
import type { KeyStore } from '../key-store.ts';
import { listedPreview, PREVIEWS, requirePreviewFolder, requirePreviewPath } from '../reserved-keys/previews.ts';

/** Stores previews, each under `.previews/{workspace}/{id}/{width}.webp`. */
export class KeyedPreviews implements PreviewStorage {
  constructor(private readonly keys: KeyStore) {}

  async open(key: PreviewKey): Promise<StoredObject | null> {
    return this.keys.find(PREVIEWS + requirePreviewPath(key));
  }

  async put(key: PreviewKey, bytes: Uint8Array): Promise<void> {
    await this.keys.put(PREVIEWS + requirePreviewPath(key), bytes, 'image/webp');
  }

  async remove(of: Parameters<PreviewStorage['remove']>[0]): Promise<void> {
    const prefix = `${PREVIEWS}${requirePreviewFolder(of)}/`;
    for await (const { key, size } of this.keys.list(prefix)) if (listed(key, size)) await this.keys.drop(key);
  }

  async *list(): AsyncGenerator<ListedPreview> {
    for await (const { key, size } of this.keys.list(PREVIEWS)) {
      const found = listed(key, size);
      if (found) yield found;
    }
  }
}

const listed = (key: string, size: number): ListedPreview | null => listedPreview(key.slice(PREVIEWS.length), size);
