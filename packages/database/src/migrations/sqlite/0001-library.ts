import { type Kysely, sql } from 'kysely';

/**
 * Workspaces, folders, media and tokens. Times are whole milliseconds since the epoch, flags 0 or 1, ids UUIDs in
 * their canonical text form. The checks and keys keep, whatever program writes: no row between two states, no folder
 * or cover across workspaces, no two siblings of one name, no folder that goes while something is in it.
 */
export async function up(db: Kysely<unknown>): Promise<void> {
  for (const statement of STATEMENTS) await sql.raw(statement).execute(db);
}

const STATEMENTS = [
  `create table workspaces (
    id text primary key,
    name text not null,
    timezone text not null,
    created_at integer not null
  ) strict, without rowid`,

  `create table folders (
    id text primary key,
    workspace_id text not null references workspaces (id),
    parent_id text check (parent_id <> id),
    name text not null,
    name_key text not null,
    is_system integer not null check (is_system in (0, 1)),
    created_at integer not null,
    updated_at integer not null,
    unique (workspace_id, id),
    foreign key (workspace_id, parent_id) references folders (workspace_id, id) on delete restrict
  ) strict`,
  `create unique index folders_siblings on folders (workspace_id, coalesce(parent_id, ''), name_key)`,
  `create index folders_latest on folders (workspace_id, updated_at desc, id desc)`,
  `create index folders_children on folders (workspace_id, parent_id, updated_at desc, id desc)`,

  // The key of a cover's video is checked at the commit: an insert may bring the cover first.
  `create table media (
    id text primary key,
    workspace_id text not null references workspaces (id),
    folder_id text,
    name text not null,
    full_name text not null unique,
    label text,
    search_key text not null,
    created_at integer not null,
    updated_at integer not null,
    status text not null check (status in ('active', 'processing', 'failed', 'temporary')),
    type text,
    size integer check (size >= 0),
    sha256 text check (length(sha256) = 64),
    width integer check (width > 0),
    height integer check (height > 0),
    time integer check (time is null or (time > 0 and type like 'video/%')),
    cover_of text references media (id) deferrable initially deferred check (cover_of <> id),
    error_message text,
    foreign key (workspace_id, folder_id) references folders (workspace_id, id) on delete restrict,
    check (
      case status when 'active'
        then type is not null and size is not null and width is not null and height is not null
        else coalesce(type, size, sha256, width, height, time, cover_of) is null
      end
    ),
    check ((status = 'failed') = (error_message is not null)),
    check (cover_of is null or folder_id is null)
  ) strict`,
  // Partial: a whole index would be taken for `cover_of is null`, which most rows of all workspaces are.
  `create unique index media_covers on media (cover_of) where cover_of is not null`,
  `create index media_latest on media (workspace_id, cover_of, updated_at desc, id desc)`,
  `create index media_in_folder on media (workspace_id, folder_id, cover_of, updated_at desc, id desc)`,

  `create table tokens (
    id text primary key,
    name text not null,
    scopes text not null check (json_type(scopes) = 'array'),
    created_at integer not null,
    expires_at integer not null,
    revoked_at integer,
    last_used_at integer
  ) strict`,
  `create table token_workspaces (
    token_id text not null references tokens (id) on delete cascade,
    workspace_id text not null references workspaces (id),
    position integer not null,
    primary key (token_id, position),
    unique (token_id, workspace_id)
  ) strict, without rowid`,
];
