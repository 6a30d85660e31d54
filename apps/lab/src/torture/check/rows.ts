import type { Deployment, Row } from '../deployments/deployment.ts';
import { METRICS } from '../ledger/ledger.ts';

export interface MediaRow {
  readonly id: string;
  readonly workspace: string;
  readonly stem: string;
  readonly fullName: string;
  readonly folder: string | null;
  readonly label: string | null;
  readonly status: string;
  readonly size: number | null;
  /** The media type of the item's file. */
  readonly type: string | null;
  readonly sha256: string | null;
  readonly coverOf: string | null;
  readonly error: string | null;
}

/** A ticket of a presigned upload, with the id of its item and the end of its lease. */
interface TicketRow {
  readonly mediaId: string;
  /** The end of the lease in milliseconds since the epoch; null if there is no lease. */
  readonly leaseUntil: number | null;
}

export interface JobRow {
  readonly kind: string;
  /** The id of an item, a webhook, a workspace or the library. */
  readonly subject: string;
  /**
   * The time from which the job may be claimed, in milliseconds since the epoch; null if the job has failed and is
   * never claimed again.
   */
  readonly dueAt: number | null;
  readonly owner: string | null;
  /** Why the job was put back or has failed. */
  readonly reason: string | null;
}

interface FolderRow {
  readonly id: string;
  readonly workspace: string;
  readonly name: string;
  readonly parent: string | null;
}

interface WorkspaceRow {
  readonly id: string;
  readonly name: string;
  /** Whether the workspace is being removed, and is therefore treated as missing. */
  readonly isGoing: boolean;
}

interface PostRow {
  readonly id: string;
  readonly workspace: string;
  readonly externalId: string;
  readonly metrics: Row;
}

/** The database's rows of all workspaces, read with SQL and without the service. */
export interface Rows {
  readonly media: readonly MediaRow[];
  readonly jobs: readonly JobRow[];
  readonly tickets: readonly TicketRow[];
  /** Items in the trash, with their covers. */
  readonly trashed: readonly MediaRow[];
  readonly folders: readonly FolderRow[];
  readonly posts: readonly PostRow[];
  /** The files that the service is going to purge: full names of objects, and ids of items with uploads. */
  readonly deleted: ReadonlySet<string>;
  readonly workspaces: readonly WorkspaceRow[];
  /** Each table paired with each workspace that its rows name. The workspace may no longer exist. */
  readonly traces: readonly { readonly table: string; readonly workspace: string }[];
  /** Previews by the ids of their items. */
  readonly previews: ReadonlyMap<string, { readonly hasFailed: boolean; readonly isMade: boolean }>;
  /** The last finished check of all objects; null if none has finished. */
  readonly objectCheck: { readonly finishedAt: number; readonly checked: number; readonly missing: number } | null;
}

const MEDIA_COLUMNS =
  'id, workspace_id, name, full_name, folder_id, label, status, size, type, sha256, cover_of, error_message';
const MEDIA = `select ${MEDIA_COLUMNS} from media`;
const TRASHED = `select ${MEDIA_COLUMNS} from trashed_media`;
const JOBS = 'select kind, subject_id, due_at, lease_owner, reason from jobs';
const TICKETS = 'select media_id, lease_until from presigned_uploads';
const FOLDERS = 'select id, workspace_id, name, parent_id from folders';
const DELETIONS = 'select coalesce(full_name, cast(id as text)) as name from deletions';
const WORKSPACES = 'select id, name, removal_begun_at from workspaces';
const PREVIEWS = 'select media_id, has_failed, placeholder from previews';
const CHECKS = 'select finished_at, last_checked, last_missing from object_checks';
const POSTS = `select id, workspace_id, external_id, ${METRICS.join(', ')} from posts`;

/** Reads all rows in one snapshot, because a worker may change rows in the meantime. */
export async function readRows({ read, tablesOfWorkspaces }: Deployment): Promise<Rows> {
  const [media = [], trashed = [], jobs = [], tickets = [], folders = [], posts = [], deletions = [], ...others] =
    await read([
      ...[MEDIA, TRASHED, JOBS, TICKETS, FOLDERS, POSTS, DELETIONS],
      ...[WORKSPACES, PREVIEWS, CHECKS, tracesIn(await tablesOfWorkspaces())],
    ]);
  const [workspaces = [], previews = [], checks = [], traces = []] = others;
  return {
    media: media.map(mediaRow),
    trashed: trashed.map(mediaRow),
    jobs: jobs.map(jobRow),
    tickets: tickets.map(({ media_id, lease_until }) => {
      return { mediaId: String(media_id), leaseUntil: number(lease_until) };
    }),
    folders: folders.map(({ id, workspace_id, name, parent_id }) => {
      return { id: String(id), workspace: String(workspace_id), name: String(name), parent: text(parent_id) };
    }),
    posts: posts.map((row) => {
      const { id, workspace_id, external_id } = row;
      return { id: String(id), workspace: String(workspace_id), externalId: String(external_id), metrics: row };
    }),
    deleted: new Set(deletions.map(({ name }) => String(name))),
    workspaces: workspaces.map(({ id, name, removal_begun_at }) => {
      return { id: String(id), name: String(name), isGoing: removal_begun_at !== null };
    }),
    traces: traces.map(({ name, workspace }) => {
      return { table: String(name), workspace: String(workspace) };
    }),
    previews: new Map(
      previews.map(({ media_id, has_failed, placeholder }) => {
        return [String(media_id), { hasFailed: Number(has_failed) === 1, isMade: placeholder !== null }];
      }),
    ),
    objectCheck: checks.map(objectCheck)[0] ?? null,
  };
}

/** Returns the rows of one workspace, for the kinds of rows that the ledger records. */
export function rowsOf(rows: Rows, workspace: string): Rows {
  const isOwn = (row: { readonly workspace: string }): boolean => row.workspace === workspace;
  return {
    ...rows,
    media: rows.media.filter(isOwn),
    trashed: rows.trashed.filter(isOwn),
    folders: rows.folders.filter(isOwn),
    posts: rows.posts.filter(isOwn),
  };
}

const tracesIn = (tables: readonly string[]): string =>
  tables
    .map((table) => `select distinct '${table}' as name, cast(workspace_id as text) as workspace from ${table}`)
    .join(' union all ');

const jobRow = ({ kind, subject_id, due_at, lease_owner, reason }: Row): JobRow => ({
  kind: String(kind),
  subject: String(subject_id),
  dueAt: number(due_at),
  owner: text(lease_owner),
  reason: text(reason),
});

function objectCheck({ finished_at, last_checked, last_missing }: Row): Rows['objectCheck'] {
  const finishedAt = number(finished_at);
  return finishedAt === null ? null : { finishedAt, checked: Number(last_checked), missing: Number(last_missing) };
}

function mediaRow(row: Row): MediaRow {
  return {
    id: String(row.id),
    workspace: String(row.workspace_id),
    stem: String(row.name).replace(/\.[^.]*$/, ''),
    fullName: String(row.full_name),
    folder: text(row.folder_id),
    label: text(row.label),
    status: String(row.status),
    size: number(row.size),
    type: text(row.type),
    sha256: text(row.sha256),
    coverOf: text(row.cover_of),
    error: text(row.error_message),
  };
}

/** Converts a number, because PostgreSQL returns 64-bit numbers as strings. */
const number = (value: unknown): number | null => (value === null ? null : Number(value));

const text = (value: unknown): string | null => (value === null || value === undefined ? null : String(value));
