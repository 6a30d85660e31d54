import type { IdempotencyCompletion } from '../idempotency/idempotency-repository.ts';
import type { Uuid } from '../ids.ts';
import type { Rows, Slice } from '../pagination/page.ts';
import type { ExpectedVersions } from '../versions/version.ts';
import type { Folder, FolderRefusal } from './folder.ts';

/** Absent fields stay unchanged. */
export interface FolderChange {
  readonly name?: string;
  /** null moves the folder to the top level. */
  readonly parentId?: Uuid | null;
}

export interface FolderFilter {
  /** null for the top level; absent for all folders. */
  readonly parentId?: Uuid | null;
}

export interface FolderCounts {
  readonly media: number;
  readonly folders: number;
}

/**
 * Enforces the rules that concurrent callers could break together: unique sibling names, parents in the same workspace,
 * no cycles, {@link MAX_FOLDER_DEPTH}, system folders. If several are broken, it reports the first of `system`,
 * `parent_missing`, `cycle`, `too_deep`, `name_taken`.
 */
export interface FolderRepository {
  insert(folder: Folder, completion?: IdempotencyCompletion): Promise<FolderRefusal | null>;
  find(id: Uuid): Promise<Folder | null>;
  /**
   * Lists the most recently updated folders first; if the times are equal, the later id comes first.
   *
   * @throws Refusal `busy`; also a Refusal once the signal is aborted
   */
  list(workspaceId: Uuid, filter: FolderFilter, slice: Slice, signal?: AbortSignal): Promise<Rows<Folder>>;
  /** Returns the counts of at most 100 folders. */
  countsOf(workspaceId: Uuid, ids: readonly Uuid[]): Promise<ReadonlyMap<Uuid, FolderCounts>>;
  /** Checks a parent without changing anything or considering the name. @param folder null for a new folder */
  refuseParent(workspaceId: Uuid, folder: Uuid | null, parentId: Uuid): Promise<FolderRefusal | null>;
  /** @throws Refusal `changed` */
  update(
    id: Uuid,
    change: FolderChange,
    now: number,
    expected?: ExpectedVersions,
  ): Promise<Folder | FolderRefusal | null>;
  /** Deletes an empty folder; `system` is reported before `not_empty`. @throws Refusal `changed` */
  delete(id: Uuid, expected?: ExpectedVersions): Promise<'deleted' | FolderRefusal | null>;
}
