import { type Kysely, sql } from 'kysely';

/**
 * Workspaces, folders, media and tokens. Times are whole milliseconds since the epoch, flags 0 or 1. The checks and keys
 * keep, whatever program writes: no row between two states, no folder or cover across workspaces, no two siblings of one
 * name, no folder that goes while something is in it. Text in an index is collated by its bytes, so that an upgrade of
 * the system's collations leaves the index right.
 */
export async function up(db: Kysely<unknown>): Promise<void> {
  for (const statement of STATEMENTS) await sql.raw(statement).execute(db);
}

const STATEMENTS = [
  `create table workspaces (
    id uuid primary key,
    name text not null,
    timezone text not null,
    created_at bigint not null
  )`,

  `create table folders (
    id uuid primary key,
    workspace_id uuid not null references workspaces (id),
    parent_id uuid check (parent_id <> id),
    name text not null,
    name_key text collate "C" not null,
    is_system smallint not null check (is_system in (0, 1)),
    created_at bigint not null,
    updated_at bigint not null,
    unique (workspace_id, id),
    foreign key (workspace_id, parent_id) references folders (workspace_id, id) on delete restrict
  )`,
  `create unique index folders_siblings
    on folders (workspace_id, coalesce(parent_id, '00000000-0000-0000-0000-000000000000'), name_key)`,
  `create index folders_latest on folders (workspace_id, updated_at desc, id desc)`,
  // Two where one might do: an index that begins with "is null" isn't taken for one in the order of what follows.
  `create index folders_children on folders (workspace_id, parent_id, updated_at desc, id desc)
    where parent_id is not null`,
  `create index folders_at_top on folders (workspace_id, updated_at desc, id desc) where parent_id is null`,

  // The key of a cover's video is checked at the commit: an insert may bring the cover first.
  `create table media (
    id uuid primary key,
    workspace_id uuid not null references workspaces (id),
    folder_id uuid,
    name text not null,
    full_name text collate "C" not null unique,
    label text,
    search_key text collate "C" not null,
    created_at bigint not null,
    updated_at bigint not null,
    status text not null check (status in ('active', 'processing', 'failed', 'temporary')),
    type text,
    size bigint check (size >= 0),
    sha256 text check (length(sha256) = 64),
    width integer check (width > 0),
    height integer check (height > 0),
    time integer check (time is null or (time > 0 and type like 'video/%')),
    cover_of uuid references media (id) deferrable initially deferred check (cover_of <> id),
    error_message text,
    foreign key (workspace_id, folder_id) references folders (workspace_id, id) on delete restrict,
    check (
      case status when 'active'
        then num_nulls(type, size, width, height) = 0
        else num_nonnulls(type, size, sha256, width, height, time, cover_of) = 0
      end
    ),
    check ((status = 'failed') = (error_message is not null)),
    check (cover_of is null or folder_id is null)
  )`,
  `create unique index media_covers on media (cover_of) where cover_of is not null`,
  `create index media_latest on media (workspace_id, updated_at desc, id desc) where cover_of is null`,
  `create index media_in_folder on media (workspace_id, folder_id, updated_at desc, id desc) include (cover_of)
    where folder_id is not null`,
  `create index media_at_root on media (workspace_id, updated_at desc, id desc)
    where folder_id is null and cover_of is null`,

  `create table tokens (
    id uuid primary key,
    name text not null,
    scopes text not null check (json_typeof(scopes::json) = 'array'),
    created_at bigint not null,
    expires_at bigint not null,
    revoked_at bigint,
    last_used_at bigint
  )`,
  `create table token_workspaces (
    token_id uuid not null references tokens (id) on delete cascade,
    workspace_id uuid not null references workspaces (id),
    position integer not null,
    primary key (token_id, position),
    unique (token_id, workspace_id)
  )`,
];
