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
  /** Milliseconds since the epoch, UTC. */
  readonly createdAt: number;
}

/** Changes to a workspace; absent fields stay. */
export type WorkspaceChange = Partial<Pick<Workspace, 'name' | 'timezone' | 'stripLocation'>>;

/** What is deleted with a workspace. */
export interface WorkspaceContents {
  /** Items in any state, without covers. */
  readonly media: number;
  /** Bytes of all their objects, covers included, as far as known. */
  readonly bytes: number;
  readonly folders: number;
  readonly profiles: number;
  readonly posts: number;
  /** Tokens with access to it. */
  readonly tokens: number;
}

/** Files in the storage whose rows were removed. */
export interface RemovedFiles {
  /** Keys of objects. */
  readonly fullNames: readonly string[];
  /** Items that may have a presigned upload. */
  readonly uploads: readonly Uuid[];
}

/**
 * Workspaces, and their removal, which takes many transactions: after the first one only {@link pendingRemovals},
 * {@link contents} and {@link removeBatch} find the workspace.
 */
export interface WorkspaceRepository {
  /**
   * Inserts a workspace and its system folders, all or nothing.
   * Throws when two system folders have the same {@link folderNameKey}, which callers have to prevent.
   */
  insert(workspace: Workspace, systemFolders: readonly Folder[]): Promise<void>;
  /** null when there is none. */
  find(id: Uuid): Promise<Workspace | null>;
  /** All, oldest first. */
  list(): Promise<readonly Workspace[]>;
  /** null when there is none. */
  update(id: Uuid, change: WorkspaceChange): Promise<Workspace | null>;
  /** What a workspace contains; of one that is being removed, what is left. All 0 for an unknown one. */
  contents(id: Uuid): Promise<WorkspaceContents>;
  /**
   * Hides the workspace and removes every token's access to it, in one transaction. False when there is none (any
   * more).
   */
  beginRemoval(id: Uuid, now: number): Promise<boolean>;
  /** Workspaces whose removal was started and isn't complete. */
  pendingRemovals(): Promise<readonly Uuid[]>;
  /**
   * Removes a batch of rows of a workspace whose removal was started, all or none, and finally the workspace itself:
   * then, and if there is none, returns null. May be called concurrently. Also removes what running requests still add.
   *
   * @param limit approximate rows of a kind, to keep the transaction short
   */
  removeBatch(id: Uuid, limit: number): Promise<RemovedFiles | null>;
}
