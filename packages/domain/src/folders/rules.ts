import type { Uuid } from '../ids.ts';
import { type Folder, type FolderRefusal, MAX_FOLDER_DEPTH } from './folder.ts';

/** What has to be known of the tree, read in the same transaction, to put a folder somewhere. */
export interface Placement {
  /** The folder that moves; null for a new one. */
  readonly folder: Uuid | null;
  /** Ids from the new parent up to the top, the parent first; empty for the top level. */
  readonly ancestors: readonly Uuid[];
  /** Levels below the folder that moves, itself included: 1 for a new or childless one. */
  readonly height: number;
}

/** Whether a folder may stand there: not within itself, and no level below the sixteenth. */
export function checkPlacement({ folder, ancestors, height }: Placement): FolderRefusal | null {
  if (folder !== null && ancestors.includes(folder)) return 'cycle';
  if (ancestors.length + height > MAX_FOLDER_DEPTH) return 'too_deep';
  return null;
}

/**
 * Why a folder can't stand below a parent, whatever its name; null when it can.
 *
 * @param parentId null for the top level
 * @param placement whose ancestors are empty too where the workspace has no such parent
 */
export function refuseParent(parentId: Uuid | null, placement: Placement): FolderRefusal | null {
  if (parentId !== null && placement.ancestors.length === 0) return 'parent_missing';
  return checkPlacement(placement);
}

/** Why a folder can't be renamed or moved, wherever to; null when it can. */
export const refuseChange = ({ isSystem }: Pick<Folder, 'isSystem'>): FolderRefusal | null =>
  isSystem ? 'system' : null;

/**
 * Why a folder can't be removed; null when it can.
 *
 * @param isInUse whether it holds a folder, or media in any state
 */
export const refuseRemoval = (folder: Pick<Folder, 'isSystem'>, isInUse: boolean): FolderRefusal | null =>
  refuseChange(folder) ?? (isInUse ? 'not_empty' : null);
