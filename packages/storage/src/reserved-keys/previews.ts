import {
  type ListedPreview,
  type PreviewKey,
  parsePreviewPath,
  parseUuid,
  previewPath,
  type Uuid,
} from '@postshelf/domain';

/** The prefix of all previews; no object's key begins with a dot. */
export const PREVIEWS = '.previews/';

/** Returns a preview's path. @throws Error for anything but a preview's key */
export function requirePreviewPath(key: PreviewKey): string {
  const path = previewPath(key);
  if (parsePreviewPath(path) === null) throw new Error('Not the key of a preview.');
  return path;
}

/** Returns the folder of an item's or of a workspace's previews. @throws Error for anything but UUIDs */
export function requirePreviewFolder({ workspaceId, id }: { readonly workspaceId: Uuid; readonly id?: Uuid }): string {
  for (const one of id === undefined ? [workspaceId] : [workspaceId, id]) {
    if (parseUuid(one) !== one) throw new Error('Not a folder of previews.');
  }
  return id === undefined ? workspaceId : `${workspaceId}/${id}`;
}

/** Returns null for a file that isn't a preview. */
export function listedPreview(path: string, size: number): ListedPreview | null {
  const key = parsePreviewPath(path);
  return key && { ...key, size };
}
