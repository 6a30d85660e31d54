import type { Deployment, Row } from '../deployments/deployment.ts';
import { METRICS } from '../ledger/ledger.ts';

export interface MediaRow {
  readonly id: string;
  readonly stem: string;
  readonly fullName: string;
  readonly folder: string | null;
  readonly label: string | null;
  readonly status: string;
  readonly size: number | null;
  readonly sha256: string | null;
  readonly coverOf: string | null;
  readonly error: string | null;
}

/** A job of the queue, or a ticket of a presigned upload: whose, and until when somebody has a lease on it. */
interface Held {
  readonly mediaId: string;
  /** Milliseconds since the epoch; null: no lease. */
  readonly leaseUntil: number | null;
}

interface FolderRow {
  readonly id: string;
  readonly name: string;
  readonly parent: string | null;
}

interface PostRow {
  readonly id: string;
  readonly externalId: string;
  readonly metrics: Row;
}

/** The database's rows, read by SQL of our own. */
export interface Rows {
  readonly media: readonly MediaRow[];
  readonly imports: readonly Held[];
  readonly tickets: readonly Held[];
  /** In the trash, with their covers. */
  readonly trashed: readonly MediaRow[];
  readonly folders: readonly FolderRow[];
  readonly posts: readonly PostRow[];
  /** Full names of objects, and ids of items whose uploads, the service is going to destroy. */
  readonly deleted: ReadonlySet<string>;
}

const MEDIA_COLUMNS = 'id, name, full_name, folder_id, label, status, size, sha256, cover_of, error_message';
const MEDIA = `select ${MEDIA_COLUMNS} from media`;
const TRASHED = `select ${MEDIA_COLUMNS} from trashed_media`;
const IMPORTS = `select subject_id as media_id, case when lease_owner is null then null else due_at end as lease_until
  from jobs where kind = 'import'`;
const TICKETS = 'select media_id, lease_until from presigned_uploads';
const FOLDERS = 'select id, name, parent_id from folders';
const DELETIONS = 'select coalesce(full_name, cast(id as text)) as name from deletions';
const POSTS = `select id, external_id, ${METRICS.join(', ')} from posts`;

/** Reads all in one snapshot: a worker goes on meanwhile. */
export async function readRows({ read }: Deployment): Promise<Rows> {
  const [media = [], imports = [], tickets = [], folders = [], posts = [], deletions = [], trashed = []] = await read([
    MEDIA,
    IMPORTS,
    TICKETS,
    FOLDERS,
    POSTS,
    DELETIONS,
    TRASHED,
  ]);
  return {
    media: media.map(mediaRow),
    trashed: trashed.map(mediaRow),
    imports: imports.map(held),
    tickets: tickets.map(held),
    folders: folders.map(({ id, name, parent_id }) => {
      return { id: String(id), name: String(name), parent: text(parent_id) };
    }),
    posts: posts.map((row) => {
      return { id: String(row.id), externalId: String(row.external_id), metrics: row };
    }),
    deleted: new Set(deletions.map(({ name }) => String(name))),
  };
}

function mediaRow(row: Row): MediaRow {
  return {
    id: String(row.id),
    stem: String(row.name).replace(/\.[^.]*$/, ''),
    fullName: String(row.full_name),
    folder: text(row.folder_id),
    label: text(row.label),
    status: String(row.status),
    // PostgreSQL gives its 64-bit numbers as text.
    size: row.size === null ? null : Number(row.size),
    sha256: text(row.sha256),
    coverOf: text(row.cover_of),
    error: text(row.error_message),
  };
}

const held = ({ media_id, lease_until }: Row): Held => ({
  mediaId: String(media_id),
  leaseUntil: lease_until === null ? null : Number(lease_until),
});

const text = (value: unknown): string | null => (value === null || value === undefined ? null : String(value));
