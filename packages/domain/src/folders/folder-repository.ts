import type { Uuid } from '../ids.ts';
import type { Rows, Slice } from '../pagination/page.ts';
import type { RepeatCompletion } from '../repeats/repeat-repository.ts';
import type { Folder, FolderRefusal } from './folder.ts';

/** Changes to a folder; what is absent stays. */
export interface FolderChange {
  readonly name?: string;
  /** null moves it to the top. */
  readonly parentId?: Uuid | null;
}

export interface FolderFilter {
  /** Children of one folder, or of the top level (null); absent: every folder. */
  readonly parentId?: Uuid | null;
}

/** What is directly in a folder. */
export interface FolderCounts {
  /** In any state; covers aren't counted. */
  readonly media: number;
  readonly folders: number;
}

/**
 * Folders of all workspaces. Every rule that two callers could break together holds here, whoever races, also from
 * another process: siblings differ in {@link folderNameKey}, a parent is a folder of the same workspace, no folder
 * is within itself, {@link MAX_FOLDER_DEPTH} levels, system folders stay.
 * A rule that would break is an answer ({@link FolderRefusal}), not an error; where several would, the first of
 * `system`, `parent_missing`, `cycle`, `too_deep`, `name_taken`.
 */
export interface FolderRepository {
  /** Keeps a new folder. @param completion kept with it */
  insert(folder: Folder, completion?: RepeatCompletion): Promise<FolderRefusal | null>;
  /** null when there is none. */
  find(id: Uuid): Promise<Folder | null>;
  /**
   * Most recently updated first, ties by id, the later id first. A slice past the end has no items; `total` counts all.
   *
   * @param signal ends it where it takes long
   * @throws Refusal `busy` where it takes long and too many wait; also once the signal is aborted
   */
  list(workspaceId: Uuid, filter: FolderFilter, slice: Slice, signal?: AbortSignal): Promise<Rows<Folder>>;
  /** What is directly in each of these folders of the workspace, exactly. At most 100 at a time. */
  countsOf(workspaceId: Uuid, ids: readonly Uuid[]): Promise<ReadonlyMap<Uuid, FolderCounts>>;
  /**
   * Why a folder of the workspace, or a new one (null), couldn't stand below the parent now, whatever its name; null when
   * it could. For reports alone: {@link insert} and {@link update} decide by themselves.
   */
  refuseParent(workspaceId: Uuid, folder: Uuid | null, parentId: Uuid): Promise<FolderRefusal | null>;
  /** Applies the change and sets `updatedAt`. null when there is no such folder (any more). */
  update(id: Uuid, change: FolderChange, now: number): Promise<Folder | FolderRefusal | null>;
  /**
   * Removes an empty folder: one without subfolders and without media in any state.
   * Answers `removed`, why not (`system` before `not_empty`), or null when there is no such folder (any more).
   */
  remove(id: Uuid): Promise<'removed' | FolderRefusal | null>;
}
