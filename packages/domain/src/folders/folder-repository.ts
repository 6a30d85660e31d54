import type { Uuid } from '../ids.ts';
import type { Rows, Slice } from '../pagination/page.ts';
import type { RepeatCompletion } from '../repeats/repeat-repository.ts';
import type { Folder, FolderRefusal } from './folder.ts';

/** Changes to a folder; absent fields stay. */
export interface FolderChange {
  readonly name?: string;
  /** null moves it to the top. */
  readonly parentId?: Uuid | null;
}

export interface FolderFilter {
  /** Only the children of this folder, or those at the top level (null); absent: all folders. */
  readonly parentId?: Uuid | null;
}

/** What is directly in a folder. */
export interface FolderCounts {
  /** In any state; covers aren't counted. */
  readonly media: number;
  readonly folders: number;
}

/**
 * Folders of all workspaces. Enforces the rules that concurrent callers could break together, also from several
 * processes: siblings differ in {@link folderNameKey}, a parent is a folder of the same workspace, no folder is within
 * itself, there are at most {@link MAX_FOLDER_DEPTH} levels, and system folders stay. A call that would break a rule
 * returns a {@link FolderRefusal} and doesn't throw; if it would break several, the first of `system`,
 * `parent_missing`, `cycle`, `too_deep`, `name_taken`.
 */
export interface FolderRepository {
  /** Inserts a new folder. @param completion stored with it */
  insert(folder: Folder, completion?: RepeatCompletion): Promise<FolderRefusal | null>;
  /** null if there is none. */
  find(id: Uuid): Promise<Folder | null>;
  /**
   * Most recently updated first, ties by id, the later id first. A slice past the end has no items; `total` counts all.
   *
   * @param signal cancels it if it takes long
   * @throws Refusal `busy` if it takes long and too many callers wait; also once the signal is aborted
   */
  list(workspaceId: Uuid, filter: FolderFilter, slice: Slice, signal?: AbortSignal): Promise<Rows<Folder>>;
  /** What is directly in each of these folders of the workspace, exactly. At most 100 at a time. */
  countsOf(workspaceId: Uuid, ids: readonly Uuid[]): Promise<ReadonlyMap<Uuid, FolderCounts>>;
  /**
   * Why a folder of the workspace, or a new one (null), couldn't be put below the parent now, whatever its name and
   * the folders in it; null if it could. Only for reports: {@link insert} and {@link update} check everything.
   */
  refuseParent(workspaceId: Uuid, folder: Uuid | null, parentId: Uuid): Promise<FolderRefusal | null>;
  /** Applies the change and sets `updatedAt`. null if there is no such folder (any more). */
  update(id: Uuid, change: FolderChange, now: number): Promise<Folder | FolderRefusal | null>;
  /**
   * Removes an empty folder: one without subfolders and without media in any state. Returns `removed`, the reason why
   * not (`system` before `not_empty`), or null if there is no such folder (any more).
   */
  remove(id: Uuid): Promise<'removed' | FolderRefusal | null>;
}
