import type { Uuid } from '../ids.ts';
import type { Rows, Slice } from '../pagination/page.ts';
import type { RepeatCompletion } from '../repeats/repeat-repository.ts';
import type { Folder, FolderRefusal } from './folder.ts';

/** Absent fields stay. */
export interface FolderChange {
  readonly name?: string;
  /** null: to the top. */
  readonly parentId?: Uuid | null;
}

export interface FolderFilter {
  /** null: at the top level; absent: all folders. */
  readonly parentId?: Uuid | null;
}

export interface FolderCounts {
  /** In any state, without covers. */
  readonly media: number;
  readonly folders: number;
}

/**
 * Holds the rules that concurrent callers could break together: siblings differ in {@link folderNameKey}, a parent is a
 * folder of the workspace, no folder is within itself, at most {@link MAX_FOLDER_DEPTH} levels, system folders stay. Of
 * several broken rules the first of `system`, `parent_missing`, `cycle`, `too_deep`, `name_taken`.
 */
export interface FolderRepository {
  /** @param completion stored with it */
  insert(folder: Folder, completion?: RepeatCompletion): Promise<FolderRefusal | null>;
  find(id: Uuid): Promise<Folder | null>;
  /**
   * Most recently updated first, ties by the later id. Past the end no items; `total` counts all.
   *
   * @throws Refusal `busy` if it takes long and too many wait; also once the signal is aborted
   */
  list(workspaceId: Uuid, filter: FolderFilter, slice: Slice, signal?: AbortSignal): Promise<Rows<Folder>>;
  /** What is directly in each folder. At most 100 at a time. */
  countsOf(workspaceId: Uuid, ids: readonly Uuid[]): Promise<ReadonlyMap<Uuid, FolderCounts>>;
  /**
   * Why a folder, or a new one (null), couldn't be put below the parent now, whatever its name; null if it could. For
   * reports.
   */
  refuseParent(workspaceId: Uuid, folder: Uuid | null, parentId: Uuid): Promise<FolderRefusal | null>;
  /** null if there is no such folder. */
  update(id: Uuid, change: FolderChange, now: number): Promise<Folder | FolderRefusal | null>;
  /** Removes a folder without subfolders and media; `system` before `not_empty`; null if there is none. */
  remove(id: Uuid): Promise<'removed' | FolderRefusal | null>;
}
