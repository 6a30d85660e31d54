import type { Uuid } from '../ids.ts';
import { type Folder, type FolderRefusal, MAX_FOLDER_DEPTH } from './folder.ts';

export interface Placement {
  readonly folder: Uuid | null;
  /** Ancestors from the new parent up. */
  readonly ancestors: readonly Uuid[];
  /** Number of levels in the subtree that moves. */
  readonly height: number;
}

export function checkPlacement({ folder, ancestors, height }: Placement): FolderRefusal | null {
  if (folder !== null && ancestors.includes(folder)) return 'cycle';
  if (ancestors.length + height > MAX_FOLDER_DEPTH) return 'too_deep';
  return null;
}

/** @param placement has no ancestors if the parent doesn't exist */
export function refuseParent(parentId: Uuid | null, placement: Placement): FolderRefusal | null {
  if (parentId !== null && placement.ancestors.length === 0) return 'parent_missing';
  return checkPlacement(placement);
}

export const refuseChange = ({ isSystem }: Pick<Folder, 'isSystem'>): FolderRefusal | null =>
  isSystem ? 'system' : null;

export const refuseRemoval = (folder: Pick<Folder, 'isSystem'>, isInUse: boolean): FolderRefusal | null =>
  refuseChange(folder) ?? (isInUse ? 'not_empty' : null);
