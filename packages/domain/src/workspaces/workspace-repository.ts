import type { Folder } from '../folders/folder.ts';
import type { Uuid } from '../ids.ts';
import type { LinkAccess } from '../links/link.ts';
import type { Rows, Slice } from '../pagination/page.ts';
import type { RepeatCompletion } from '../repeats/repeat-repository.ts';
import type { Quota, WorkspaceUsage } from './quota.ts';

export interface Workspace extends Quota {
  readonly id: Uuid;
  readonly name: string;
  /** IANA name, `Europe/Berlin`. */
  readonly timezone: string;
  /** null: the service's default. */
  readonly stripLocation: boolean | null;
  readonly links: LinkAccess;
  /** As in `SignedTerms`: no secret, but nobody's business. */
  readonly linkKey: Uuid | null;
  readonly createdAt: number;
}

/** Absent fields stay. */
export type WorkspaceChange = Partial<Pick<Workspace, 'name' | 'timezone' | 'stripLocation' | 'links' | keyof Quota>>;

/**
 * What a workspace's system folders are to be. One of the same {@link folderNameKey} at the top level becomes one and keeps
 * its spelling; one that isn't named any more becomes a folder like others.
 */
export interface SystemFolders {
  readonly folders: readonly Folder[];
  readonly now: number;
}

export interface WorkspaceContents {
  readonly media: number;
  /** Covers included, as far as known. */
  readonly bytes: number;
  /** Items in the trash, and their bytes. */
  readonly trash: number;
  readonly trashBytes: number;
  readonly folders: number;
  readonly profiles: number;
  readonly posts: number;
  readonly tokens: number;
}

/** How much of a workspace has gone. */
export interface RemovedCounts {
  /** Items, folders, profiles and posts. */
  readonly rows: number;
  /** Files of items and covers. */
  readonly objects: number;
  /** Items that had previews. */
  readonly previews: number;
  readonly events: number;
  /** And their deliveries. */
  readonly webhooks: number;
  /** That entered no other workspace. */
  readonly tokens: number;
  readonly people: number;
  readonly sessions: number;
}

export interface RemovedFiles {
  readonly fullNames: readonly string[];
  readonly uploads: readonly Uuid[];
}

/**
 * Whatever makes media `active`, or announces an upload, throws {@link StorageFull} and does nothing if it would go
 * beyond the quota. Concurrent writes of a workspace that has one are measured one after the other.
 *
 * Removal takes many transactions: after the first only {@link pendingRemovals}, {@link contents} and {@link
 * removeBatch} find the workspace.
 */
export interface WorkspaceRepository {
  /** Throws when two folders have the same {@link folderNameKey}, which callers prevent. */
  insert(workspace: Workspace, systemFolders: readonly Folder[], completion?: RepeatCompletion): Promise<void>;
  find(id: Uuid): Promise<Workspace | null>;
  /** Oldest first. */
  list(): Promise<readonly Workspace[]>;
  /** Newest first. */
  page(slice: Slice): Promise<Rows<Workspace>>;
  update(id: Uuid, change: WorkspaceChange, systemFolders?: SystemFolders): Promise<Workspace | null>;
  /** Their names, as they were created. */
  systemFolders(ids: readonly Uuid[]): Promise<ReadonlyMap<Uuid, readonly string[]>>;
  /** null if there is none. */
  usage(id: Uuid): Promise<WorkspaceUsage | null>;
  /** false if the workspace doesn't exist. */
  rotateLinkKey(id: Uuid, key: Uuid, completion?: RepeatCompletion): Promise<boolean>;
  /** While it is removed, what is left. */
  contents(id: Uuid): Promise<WorkspaceContents>;
  /** Hides it, removes its people, ends every token's access, and revokes those that enter no other, in one transaction. */
  beginRemoval(id: Uuid, now: number): Promise<boolean>;
  pendingRemovals(): Promise<readonly Uuid[]>;
  /**
   * null once the workspace itself is gone. May run concurrently, and removes what running requests still add.
   *
   * @param limit rows of a kind, about
   */
  removeBatch(id: Uuid, limit: number, now: number): Promise<RemovedFiles | null>;
  /** What went in all steps so far, each counted in its transaction; null for a workspace that was never removed. */
  removed(id: Uuid): Promise<RemovedCounts | null>;
}
