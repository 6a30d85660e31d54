import type { Uuid } from '../ids.ts';
import { type Folder, type FolderRefusal, MAX_FOLDER_DEPTH } from './folder.ts';

/** Facts read in the transaction that places a folder. */
export interface Placement {
  /** null for a new one. */
  readonly folder: Uuid | null;
  /** From the new parent up; empty for the top level. */
  readonly ancestors: readonly Uuid[];
  /** Levels of the subtree that moves: 1 for a new or childless one. */
  readonly height: number;
}

export function checkPlacement({ folder, ancestors, height }: Placement): FolderRefusal | null {
  if (folder !== null && ancestors.includes(folder)) return 'cycle';
  if (ancestors.length + height > MAX_FOLDER_DEPTH) return 'too_deep';
  return null;
}

/**
 * @param parentId null for the top level
 * @param placement without ancestors also where there is no such parent
 */
export function refuseParent(parentId: Uuid | null, placement: Placement): FolderRefusal | null {
  if (parentId !== null && placement.ancestors.length === 0) return 'parent_missing';
  return checkPlacement(placement);
}

export const refuseChange = ({ isSystem }: Pick<Folder, 'isSystem'>): FolderRefusal | null =>
  isSystem ? 'system' : null;

/** @param isInUse whether it holds a folder, or media in any state */
export const refuseRemoval = (folder: Pick<Folder, 'isSystem'>, isInUse: boolean): FolderRefusal | null =>
  refuseChange(folder) ?? (isInUse ? 'not_empty' : null);
