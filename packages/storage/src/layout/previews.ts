import {
  type ListedPreview,
  type PreviewKey,
  parsePreviewPath,
  parseUuid,
  previewPath,
  type Uuid,
} from '@postshelf/domain';

/** No object's key begins with a dot. */
export const PREVIEWS = '.previews';

/** @throws Error for anything but a preview's key */
export function requirePreviewPath(key: PreviewKey): string {
  const path = previewPath(key);
  if (parsePreviewPath(path) === null) throw new Error('Not the key of a preview.');
  return path;
}

/** Of an item, or of a workspace. @throws as {@link requirePreviewPath} */
export function requirePreviewFolder({ workspaceId, id }: { readonly workspaceId: Uuid; readonly id?: Uuid }): string {
  for (const one of id === undefined ? [workspaceId] : [workspaceId, id]) {
    if (parseUuid(one) !== one) throw new Error('Not a folder of previews.');
  }
  return id === undefined ? workspaceId : `${workspaceId}/${id}`;
}

/** null for any other file. */
export function listedPreview(path: string, size: number): ListedPreview | null {
  const key = parsePreviewPath(path);
  return key && { ...key, size };
}
