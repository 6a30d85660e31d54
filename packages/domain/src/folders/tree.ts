import type { Uuid } from '../ids.ts';
import { type FolderRefusal, MAX_FOLDER_DEPTH } from './folder.ts';

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
