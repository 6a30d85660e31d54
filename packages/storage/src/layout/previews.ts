import {
  type ListedPreview,
  type PreviewKey,
  parsePreviewPath,
  parseUuid,
  previewPath,
  type Uuid,
} from '@postshelf/domain';

/** The folder of previews in a directory or a bucket; no object's key begins with a dot. */
export const PREVIEWS = '.previews';

/** @throws Error for anything but the key of a preview */
export function requirePreviewPath(key: PreviewKey): string {
  const path = previewPath(key);
  if (parsePreviewPath(path) === null) throw new Error('Not the key of a preview.');
  return path;
}

/** The folder of an item's previews, or of a workspace's, below {@link PREVIEWS}. @throws as {@link requirePreviewPath} */
export function requirePreviewFolder({ workspaceId, id }: { readonly workspaceId: Uuid; readonly id?: Uuid }): string {
  for (const one of id === undefined ? [workspaceId] : [workspaceId, id]) {
    if (parseUuid(one) !== one) throw new Error('Not a folder of previews.');
  }
  return id === undefined ? workspaceId : `${workspaceId}/${id}`;
}

/** The preview of a path below {@link PREVIEWS}; null for any other file. */
export function listedPreview(path: string, size: number): ListedPreview | null {
  const key = parsePreviewPath(path);
  return key && { ...key, size };
}
