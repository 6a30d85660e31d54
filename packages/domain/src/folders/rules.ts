import type { Uuid } from '../ids.ts';
import { type Folder, type FolderRefusal, MAX_FOLDER_DEPTH } from './folder.ts';

/** The facts about the tree that decide whether a folder may be put below a parent, read in the same transaction. */
export interface Placement {
  /** The folder that moves; null for a new one. */
  readonly folder: Uuid | null;
  /** Ids from the new parent up to the top, the parent first; empty for the top level. */
  readonly ancestors: readonly Uuid[];
  /** Levels of the subtree that moves, the folder included: 1 for a new or childless one. */
  readonly height: number;
}

/** Refuses a placement within the folder itself or below {@link MAX_FOLDER_DEPTH} levels. */
export function checkPlacement({ folder, ancestors, height }: Placement): FolderRefusal | null {
  if (folder !== null && ancestors.includes(folder)) return 'cycle';
  if (ancestors.length + height > MAX_FOLDER_DEPTH) return 'too_deep';
  return null;
}

/**
 * Why a folder can't be put below a parent, whatever its name; null if it can.
 *
 * @param parentId null for the top level
 * @param placement its ancestors are also empty if the workspace has no such parent
 */
export function refuseParent(parentId: Uuid | null, placement: Placement): FolderRefusal | null {
  if (parentId !== null && placement.ancestors.length === 0) return 'parent_missing';
  return checkPlacement(placement);
}

/** Why a folder can't be renamed or moved at all; null if it can. */
export const refuseChange = ({ isSystem }: Pick<Folder, 'isSystem'>): FolderRefusal | null =>
  isSystem ? 'system' : null;

/**
 * Why a folder can't be removed; null if it can.
 *
 * @param isInUse whether it holds a folder, or media in any state
 */
export const refuseRemoval = (folder: Pick<Folder, 'isSystem'>, isInUse: boolean): FolderRefusal | null =>
  refuseChange(folder) ?? (isInUse ? 'not_empty' : null);
