import type { Folder } from '../folders/folder.ts';
import type { IdempotencyCompletion } from '../idempotency/idempotency-repository.ts';
import type { Uuid } from '../ids.ts';
import type { LinkAccess } from '../links/link.ts';
import type { Rows, Slice } from '../pagination/page.ts';
import type { Quota, WorkspaceUsage } from './quota.ts';

export interface Workspace extends Quota {
  readonly id: Uuid;
  readonly name: string;
  /** IANA name, `Europe/Berlin`. */
  readonly timezone: string;
  /** null for the service's default. */
  readonly stripLocation: boolean | null;
  readonly links: LinkAccess;
  /** The key in `SignedTerms`. It isn't a secret, but isn't shown either. */
  readonly linkKey: Uuid | null;
  readonly createdAt: number;
}

/** Absent fields stay unchanged. */
export type WorkspaceChange = Partial<Pick<Workspace, 'name' | 'timezone' | 'stripLocation' | 'links' | keyof Quota>>;

/**
 * The system folders that a workspace should have. An existing top-level folder with the {@link folderNameKey} of one
 * of them becomes a system folder, and its name keeps its spelling. A system folder that isn't listed any more becomes
 * an ordinary folder.
 */
export interface SystemFolders {
  readonly folders: readonly Folder[];
  readonly now: number;
}

export interface WorkspaceContents {
  readonly media: number;
  /** Total size of the files, including covers. Files of unknown size don't count. */
  readonly bytes: number;
  /** Number of items in the trash, and their size in bytes. */
  readonly trash: number;
  readonly trashBytes: number;
  readonly folders: number;
  readonly profiles: number;
  readonly posts: number;
  readonly tokens: number;
}

/** How much of a workspace has been deleted. */
export interface RemovedCounts {
  /** Number of items, folders, profiles and posts. */
  readonly rows: number;
  /** Number of files of items and covers. */
  readonly objects: number;
  /** Number of items that had previews. */
  readonly previews: number;
  readonly events: number;
  /** Number of webhooks and their deliveries. */
  readonly webhooks: number;
  /** Number of tokens that could enter no other workspace. */
  readonly tokens: number;
  readonly people: number;
  readonly sessions: number;
}

export interface RemovedFiles {
  readonly fullNames: readonly string[];
  readonly uploads: readonly Uuid[];
}

/**
 * Every method that makes media `active`, or adds a presigned upload, throws {@link StorageFull} and does nothing if it
 * would exceed the quota. Concurrent writes to a workspace with a quota are measured one after another.
 *
 * Removal takes many transactions: after the first one, only {@link pendingRemovals}, {@link contents} and {@link
 * removeBatch} find the workspace. After the last one, adding anything to the workspace is refused with `not_found`.
 */
export interface WorkspaceRepository {
  /** Inserts a workspace. Throws if two folders have the same {@link folderNameKey}, which callers prevent. */
  insert(workspace: Workspace, systemFolders: readonly Folder[], completion?: IdempotencyCompletion): Promise<void>;
  find(id: Uuid): Promise<Workspace | null>;
  /** Lists workspaces, oldest first. */
  list(): Promise<readonly Workspace[]>;
  /** Lists workspaces, newest first. */
  page(slice: Slice): Promise<Rows<Workspace>>;
  update(id: Uuid, change: WorkspaceChange, systemFolders?: SystemFolders): Promise<Workspace | null>;
  /** Returns the names of system folders in their original spelling. */
  systemFolders(ids: readonly Uuid[]): Promise<ReadonlyMap<Uuid, readonly string[]>>;
  /** Returns the usage; null if the workspace doesn't exist. */
  usage(id: Uuid): Promise<WorkspaceUsage | null>;
  /** Returns false if the workspace doesn't exist. */
  rotateLinkKey(id: Uuid, key: Uuid, completion?: IdempotencyCompletion): Promise<boolean>;
  /** Returns the contents; during a removal, what is left. */
  contents(id: Uuid): Promise<WorkspaceContents>;
  /**
   * Starts a removal in one transaction: hides the workspace, removes its people, ends every token's access, and
   * revokes tokens that can enter no other workspace.
   */
  beginRemoval(id: Uuid, now: number): Promise<boolean>;
  pendingRemovals(): Promise<readonly Uuid[]>;
  /**
   * Removes some of the contents, including what running requests still add; returns null once the workspace itself no
   * longer exists. Calls may run concurrently.
   *
   * @param limit approximate number of rows of a kind
   */
  removeBatch(id: Uuid, limit: number, now: number): Promise<RemovedFiles | null>;
  /**
   * Returns the counts of what {@link removeBatch} has removed so far; each call adds to them in its own transaction.
   * Returns null for a workspace that was never removed.
   */
  removed(id: Uuid): Promise<RemovedCounts | null>;
}
