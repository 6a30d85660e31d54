import { selectedInvalid } from '../errors.ts';
import type { Uuid } from '../ids.ts';
import { readName } from '../name.ts';
import { caseFold } from '../text.ts';

export interface Folder {
  readonly id: Uuid;
  readonly workspaceId: Uuid;
  /** null at the top level. */
  readonly parentId: Uuid | null;
  readonly name: string;
  /** Provisioned by the operator: takes media and subfolders, can't be renamed, moved or deleted. */
  readonly isSystem: boolean;
  /** Milliseconds since the epoch, UTC. */
  readonly createdAt: number;
  readonly updatedAt: number;
}

/** Levels of folders, the top level being the first. Deeper: 422 on `parent_id`. */
export const MAX_FOLDER_DEPTH = 16;

/** Why a folder can't be made, changed or removed as requested. */
export type FolderRefusal = 'name_taken' | 'parent_missing' | 'cycle' | 'too_deep' | 'system' | 'not_empty';

/** The field each refusal is reported on, and its sentence. */
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

/** Length of a folder's name in code points, after trimming. Outside: 422 on `name`. */
export const FOLDER_NAME_LENGTH = { min: 1, max: 100 } as const;

export const readFolderName = (text: string) => readName(text, FOLDER_NAME_LENGTH.max);

/** The key in which siblings must differ: NFC, case-folded (docs/api.md, "Folders"). */
export const folderNameKey = (name: string): string => caseFold(name.trim());
