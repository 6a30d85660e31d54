import type { Uuid } from '../ids.ts';
import type { Rows, Slice } from '../pagination/page.ts';
import type { RepeatCompletion } from '../repeats/repeat-repository.ts';
import type { ExpectedVersions } from '../versions/version.ts';
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
  readonly media: number;
  readonly folders: number;
}

/**
 * Holds the rules that concurrent callers could break together: sibling names, parents of the workspace, no cycles,
 * {@link MAX_FOLDER_DEPTH}, system folders. Of several broken ones the first of `system`, `parent_missing`, `cycle`,
 * `too_deep`, `name_taken`.
 */
export interface FolderRepository {
  insert(folder: Folder, completion?: RepeatCompletion): Promise<FolderRefusal | null>;
  find(id: Uuid): Promise<Folder | null>;
  /** Most recently updated first, ties by the later id. @throws Refusal `busy`; also once the signal is aborted */
  list(workspaceId: Uuid, filter: FolderFilter, slice: Slice, signal?: AbortSignal): Promise<Rows<Folder>>;
  /** At most 100 at a time. */
  countsOf(workspaceId: Uuid, ids: readonly Uuid[]): Promise<ReadonlyMap<Uuid, FolderCounts>>;
  /** For reports; whatever the name. @param folder null: a new one */
  refuseParent(workspaceId: Uuid, folder: Uuid | null, parentId: Uuid): Promise<FolderRefusal | null>;
  /** @throws Refusal `changed` */
  update(
    id: Uuid,
    change: FolderChange,
    now: number,
    expected?: ExpectedVersions,
  ): Promise<Folder | FolderRefusal | null>;
  /** An empty one; `system` before `not_empty`. @throws Refusal `changed` */
  remove(id: Uuid, expected?: ExpectedVersions): Promise<'removed' | FolderRefusal | null>;
}
