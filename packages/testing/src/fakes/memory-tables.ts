import type {
  AccessToken,
  Folder,
  ImportJob,
  Lease,
  Library,
  MediaItem,
  Post,
  PresignedUpload,
  Profile,
  Uuid,
  Workspace,
} from '@postshelf/domain';
import type { MemoryObjectCheck } from './memory-object-checks.ts';

/** A job, free or under a lease. */
export interface MemoryImport {
  readonly job: ImportJob;
  readonly addedAt: number;
  readonly state: { readonly dueAt: number } | { readonly lease: Lease };
}

/** A ticket, free (null) or under a lease. */
interface MemoryPresigned {
  readonly ticket: PresignedUpload;
  readonly lease: Lease | null;
}

/** What a database would hold. Values are replaced, never changed. */
export interface MemoryTables {
  /** One, or none yet. */
  readonly library: Map<'only', Library>;
  readonly objectChecks: Map<'only', MemoryObjectCheck>;
  readonly workspaces: Map<Uuid, Workspace>;
  /** Those of them that are being removed. */
  readonly removing: Set<Uuid>;
  readonly folders: Map<Uuid, Folder>;
  readonly media: Map<Uuid, MediaItem>;
  readonly imports: Map<Uuid, MemoryImport>;
  readonly presigned: Map<Uuid, MemoryPresigned>;
  readonly profiles: Map<Uuid, Profile>;
  readonly posts: Map<Uuid, Post>;
  readonly tokens: Map<Uuid, AccessToken>;
}

export const emptyTables = (): MemoryTables => ({
  library: new Map(),
  objectChecks: new Map(),
  workspaces: new Map(),
  removing: new Set(),
  folders: new Map(),
  media: new Map(),
  imports: new Map(),
  presigned: new Map(),
  profiles: new Map(),
  posts: new Map(),
  tokens: new Map(),
});

/** What a database's primary and foreign keys do. */
export function requireFree(table: ReadonlyMap<Uuid, unknown>, id: Uuid): void {
  if (table.has(id)) throw new Error(`The id ${id} is taken`);
}

export function requireWorkspace({ workspaces }: MemoryTables, id: Uuid): void {
  if (!workspaces.has(id)) throw new Error(`There is no workspace ${id}`);
}

/** Most recently updated first, ties by id, the later id first. */
export function latestFirst(a: { id: Uuid; updatedAt: number }, b: { id: Uuid; updatedAt: number }): number {
  return b.updatedAt - a.updatedAt || (a.id < b.id ? 1 : -1);
}

export const oldestFirst = (a: { createdAt: number }, b: { createdAt: number }): number => a.createdAt - b.createdAt;
