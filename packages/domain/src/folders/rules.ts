import type { Uuid } from '../ids.ts';
import { type Folder, type FolderRefusal, MAX_FOLDER_DEPTH } from './folder.ts';

export interface Placement {
  readonly folder: Uuid | null;
  /** From the new parent up. */
  readonly ancestors: readonly Uuid[];
  /** Levels of the subtree that moves. */
  readonly height: number;
}

export function checkPlacement({ folder, ancestors, height }: Placement): FolderRefusal | null {
  if (folder !== null && ancestors.includes(folder)) return 'cycle';
  if (ancestors.length + height > MAX_FOLDER_DEPTH) return 'too_deep';
  return null;
}

/** @param placement without ancestors also where there is no such parent */
export function refuseParent(parentId: Uuid | null, placement: Placement): FolderRefusal | null {
  if (parentId !== null && placement.ancestors.length === 0) return 'parent_missing';
  return checkPlacement(placement);
}

export const refuseChange = ({ isSystem }: Pick<Folder, 'isSystem'>): FolderRefusal | null =>
  isSystem ? 'system' : null;

export const refuseRemoval = (folder: Pick<Folder, 'isSystem'>, isInUse: boolean): FolderRefusal | null =>
  refuseChange(folder) ?? (isInUse ? 'not_empty' : null);
