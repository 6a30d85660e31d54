import { selectedInvalid } from '../errors.ts';
import type { Uuid } from '../ids.ts';

export interface Folder {
  readonly id: Uuid;
  readonly workspaceId: Uuid;
  /** null at the top level. */
  readonly parentId: Uuid | null;
  readonly name: string;
  /** A system folder accepts media and subfolders, but can't be renamed, moved or deleted. */
  readonly isSystem: boolean;
  readonly version: number;
  readonly createdAt: number;
  readonly updatedAt: number;
}

export const MAX_FOLDER_DEPTH = 16;

export type FolderRefusal = 'name_taken' | 'parent_missing' | 'cycle' | 'too_deep' | 'system' | 'not_empty';

export const FOLDER_REFUSALS: Readonly<Record<FolderRefusal, { field: string; sentence: string }>> = {
  name_taken: { field: 'name', sentence: 'The name has already been taken.' },
  parent_missing: { field: 'parent_id', sentence: selectedInvalid('parent_id') },
  cycle: { field: 'parent_id', sentence: 'The parent id field must not be the folder itself or a folder below it.' },
  too_deep: {
    field: 'parent_id',
    sentence: `The parent id field must not nest folders more than ${MAX_FOLDER_DEPTH} levels deep.`,
  },
  system: { field: 'folder', sentence: 'The folder is a system folder and cannot be changed or deleted.' },
  not_empty: { field: 'folder', sentence: 'The folder is not empty.' },
};

/** Where a folder is created or moved to. */
export interface Placement {
  /** null if the folder is new. */
  readonly folder: Uuid | null;
  /** Ancestors from the new parent up. */
  readonly ancestors: readonly Uuid[];
  /** Number of levels in the subtree that moves. */
  readonly height: number;
}

/** Refuses to move a folder into itself or below itself, and to nest folders too deep. */
export function checkPlacement({ folder, ancestors, height }: Placement): FolderRefusal | null {
  if (folder !== null && ancestors.includes(folder)) return 'cycle';
  if (ancestors.length + height > MAX_FOLDER_DEPTH) return 'too_deep';
  return null;
}

/**
 * Like {@link checkPlacement}, and refuses a missing parent.
 *
 * @param placement has no ancestors if the parent doesn't exist
 */
export function refuseParent(parentId: Uuid | null, placement: Placement): FolderRefusal | null {
  if (parentId !== null && placement.ancestors.length === 0) return 'parent_missing';
  return checkPlacement(placement);
}

export const refuseChange = ({ isSystem }: Pick<Folder, 'isSystem'>): FolderRefusal | null =>
  isSystem ? 'system' : null;

export const refuseRemoval = (folder: Pick<Folder, 'isSystem'>, isInUse: boolean): FolderRefusal | null =>
  refuseChange(folder) ?? (isInUse ? 'not_empty' : null);
