import {
  type ListedPreview,
  type PreviewKey,
  type PreviewStorage,
  parsePreviewPath,
  parseUuid,
  previewPath,
  type StoredObject,
} from '@postshelf/domain';
import type { KeyStore } from '../key-store.ts';

/** The prefix of all previews; no object's key begins with a dot. */
const PREVIEWS = '.previews/';

/** Stores previews, each under `.previews/{workspace}/{id}/{width}.webp`. */
export class KeyedPreviews implements PreviewStorage {
  constructor(private readonly keys: KeyStore) {}

  async open(key: PreviewKey): Promise<StoredObject | null> {
    return this.keys.find(PREVIEWS + requirePreviewPath(key));
  }

  async put(key: PreviewKey, bytes: Uint8Array): Promise<void> {
    await this.keys.put(PREVIEWS + requirePreviewPath(key), bytes, 'image/webp');
  }

  async purge(of: Parameters<PreviewStorage['purge']>[0]): Promise<void> {
    const prefix = `${PREVIEWS}${requirePreviewFolder(of)}/`;
    for await (const { key, size } of this.keys.list(prefix)) if (listed(key, size)) await this.keys.purgeListed(key);
  }

  async *list(): AsyncGenerator<ListedPreview> {
    for await (const { key, size } of this.keys.list(PREVIEWS)) {
      const found = listed(key, size);
      if (found) yield found;
    }
  }
}

/** Returns null for a file that isn't a preview. */
function listed(storedKey: string, size: number): ListedPreview | null {
  const key = parsePreviewPath(storedKey.slice(PREVIEWS.length));
  return key && { ...key, size };
}

/** Returns a preview's path. @throws Error for anything but a preview's key */
function requirePreviewPath(key: PreviewKey): string {
  const path = previewPath(key);
  if (parsePreviewPath(path) === null) throw new Error('Not the key of a preview.');
  return path;
}

/** Returns the folder of an item's or of a workspace's previews. @throws Error for anything but UUIDs */
function requirePreviewFolder({ workspaceId, id }: Parameters<PreviewStorage['purge']>[0]): string {
  for (const one of id === undefined ? [workspaceId] : [workspaceId, id]) {
    if (parseUuid(one) !== one) throw new Error('Not a folder of previews.');
  }
  return id === undefined ? workspaceId : `${workspaceId}/${id}`;
}
