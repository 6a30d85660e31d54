import type { Folder } from '../folders/folder.ts';
import type { Uuid } from '../ids.ts';

/** A tenant: media, folders, profiles and posts belong to exactly one. */
export interface Workspace {
  readonly id: Uuid;
  readonly name: string;
  /** IANA name, `Europe/Berlin`. */
  readonly timezone: string;
  /** Whether coordinates are removed from new files; null: the service's default. */
  readonly stripLocation: boolean | null;
  readonly createdAt: number;
}

/** Absent fields stay. */
export type WorkspaceChange = Partial<Pick<Workspace, 'name' | 'timezone' | 'stripLocation'>>;

/** What is deleted with it. */
export interface WorkspaceContents {
  /** In any state, without covers. */
  readonly media: number;
  /** Of all objects, covers included, as far as known. */
  readonly bytes: number;
  readonly folders: number;
  readonly profiles: number;
  readonly posts: number;
  readonly tokens: number;
}

/** In the storage, without rows now. */
export interface RemovedFiles {
  readonly fullNames: readonly string[];
  /** Items that may have a presigned upload. */
  readonly uploads: readonly Uuid[];
}

/**
 * Removal takes many transactions: after the first only {@link pendingRemovals}, {@link contents} and {@link
 * removeBatch} find the workspace.
 */
export interface WorkspaceRepository {
  /** All or nothing. Throws when two folders have the same {@link folderNameKey}, which callers prevent. */
  insert(workspace: Workspace, systemFolders: readonly Folder[]): Promise<void>;
  find(id: Uuid): Promise<Workspace | null>;
  /** Oldest first. */
  list(): Promise<readonly Workspace[]>;
  update(id: Uuid, change: WorkspaceChange): Promise<Workspace | null>;
  /** While it is removed, what is left. All 0 for an unknown one. */
  contents(id: Uuid): Promise<WorkspaceContents>;
  /** Hides it and ends every token's access, in one transaction. False when there is none. */
  beginRemoval(id: Uuid, now: number): Promise<boolean>;
  pendingRemovals(): Promise<readonly Uuid[]>;
  /**
   * Removes some rows, all or none, and finally the workspace: then, and if there is none, null. May run concurrently,
   * and removes what running requests still add.
   *
   * @param limit rows of a kind, about
   */
  removeBatch(id: Uuid, limit: number): Promise<RemovedFiles | null>;
}
