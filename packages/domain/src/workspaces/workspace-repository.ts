import type { Folder } from '../folders/folder.ts';
import type { Uuid } from '../ids.ts';

/** A tenant: media, folders, profiles and posts belong to exactly one. */
export interface Workspace {
  readonly id: Uuid;
  readonly name: string;
  /** IANA name, `Europe/Berlin`. */
  readonly timezone: string;
  /** Milliseconds since the epoch, UTC. */
  readonly createdAt: number;
}

/** Changes to a workspace; what is absent stays. */
export type WorkspaceChange = Partial<Pick<Workspace, 'name' | 'timezone'>>;

/** What goes with a workspace. */
export interface WorkspaceContents {
  /** Items in any state, covers not among them. */
  readonly media: number;
  /** Of all their objects, covers included, as far as it is known. */
  readonly bytes: number;
  readonly folders: number;
  readonly profiles: number;
  readonly posts: number;
  /** Tokens that may enter it. */
  readonly tokens: number;
}

/** What the storage keeps of rows that were removed. */
export interface RemovedFiles {
  /** Of objects. */
  readonly fullNames: readonly string[];
  /** Items that may have a direct upload. */
  readonly uploads: readonly Uuid[];
}

/**
 * Workspaces, and their removal, which takes many transactions: from the first on the workspace is known to nothing but
 * {@link pendingRemovals}, {@link contents} and {@link removeBatch}.
 */
export interface WorkspaceRepository {
  /**
   * Keeps a workspace and its system folders, all or nothing.
   * Two system folders whose names are the same to {@link folderNameKey} are the caller's mistake: throws.
   */
  insert(workspace: Workspace, systemFolders: readonly Folder[]): Promise<void>;
  /** null when there is none. */
  find(id: Uuid): Promise<Workspace | null>;
  /** All, oldest first. */
  list(): Promise<readonly Workspace[]>;
  /** null when there is none. */
  update(id: Uuid, change: WorkspaceChange): Promise<Workspace | null>;
  /** Of one that is being removed what is left; nothing of one that there isn't. */
  contents(id: Uuid): Promise<WorkspaceContents>;
  /**
   * Makes the workspace unknown and takes every token's access to it, in one transaction. False when there is none (any
   * more).
   */
  beginRemoval(id: Uuid, now: number): Promise<boolean>;
  /** Workspaces whose removal was begun and didn't come to its end. */
  pendingRemovals(): Promise<readonly Uuid[]>;
  /**
   * Removes some rows of a workspace whose removal was begun, all or nothing, and at last the workspace: null, also where
   * there is none. Any number of callers may do so at once. What requests under way still add is removed too.
   *
   * @param limit rows of a kind, more or less, so that others needn't wait long
   */
  removeBatch(id: Uuid, limit: number): Promise<RemovedFiles | null>;
}
