import type { Folder } from '../folders/folder.ts';
import type { Uuid } from '../ids.ts';
import type { Rows, Slice } from '../pagination/page.ts';

export interface Workspace {
  readonly id: Uuid;
  readonly name: string;
  /** IANA name, `Europe/Berlin`. */
  readonly timezone: string;
  /** null: the service's default. */
  readonly stripLocation: boolean | null;
  readonly createdAt: number;
}

/** Absent fields stay. */
export type WorkspaceChange = Partial<Pick<Workspace, 'name' | 'timezone' | 'stripLocation'>>;

export interface WorkspaceContents {
  readonly media: number;
  /** Covers included, as far as known. */
  readonly bytes: number;
  readonly folders: number;
  readonly profiles: number;
  readonly posts: number;
  readonly tokens: number;
}

export interface RemovedFiles {
  readonly fullNames: readonly string[];
  readonly uploads: readonly Uuid[];
}

/**
 * Removal takes many transactions: after the first only {@link pendingRemovals}, {@link contents} and {@link
 * removeBatch} find the workspace.
 */
export interface WorkspaceRepository {
  /** Throws when two folders have the same {@link folderNameKey}, which callers prevent. */
  insert(workspace: Workspace, systemFolders: readonly Folder[]): Promise<void>;
  find(id: Uuid): Promise<Workspace | null>;
  /** Oldest first. */
  list(): Promise<readonly Workspace[]>;
  /** The newest first. */
  page(slice: Slice): Promise<Rows<Workspace>>;
  update(id: Uuid, change: WorkspaceChange): Promise<Workspace | null>;
  /** While it is removed, what is left. */
  contents(id: Uuid): Promise<WorkspaceContents>;
  /** Hides it and ends every token's access, in one transaction. */
  beginRemoval(id: Uuid, now: number): Promise<boolean>;
  pendingRemovals(): Promise<readonly Uuid[]>;
  /**
   * null once the workspace itself is gone. May run concurrently, and removes what running requests still add.
   *
   * @param limit rows of a kind, about
   */
  removeBatch(id: Uuid, limit: number): Promise<RemovedFiles | null>;
}
