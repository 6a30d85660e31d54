/** Deleted items that can be restored. */
export const TRASH = [
  // Rows of `media`, covers included, with their tags as a JSON array.
  `create table trashed_media (
    id text primary key,
    workspace_id text not null references workspaces (id),
    folder_id text,
    name text not null,
    full_name text not null unique,
    label text,
    search_key text not null,
    created_at integer not null,
    updated_at integer not null,
    status text not null check (status = 'active'),
    type text not null,
    size integer not null check (size >= 0),
    sha256 text,
    width integer not null,
    height integer not null,
    time integer,
    cover_of text,
    error_message text,
    details text,
    alt_text text,
    fitted_from text,
    created_by text,
    created_by_kind text,
    version integer not null,
    tags text not null check (json_type(tags) = 'array'),
    trashed_at integer not null
  ) strict`,
  'create unique index trashed_media_covers on trashed_media (cover_of) where cover_of is not null',
  `create index trashed_media_latest on trashed_media (workspace_id, trashed_at desc, id desc) where cover_of is null`,
  'create index trashed_media_due on trashed_media (trashed_at) where cover_of is null',

  // Items that were trashed at or before `emptied_at` are to be purged; the row exists while any of them are left.
  `create table trash_emptied (
    workspace_id text primary key references workspaces (id) on delete cascade,
    emptied_at integer not null
  ) strict, without rowid`,

  // The usage of a workspace's trash.
  `create table trash_usage (
    workspace_id text primary key,
    items integer not null check (items >= 0),
    bytes integer not null check (bytes >= 0)
  ) strict, without rowid`,
  `create trigger trash_usage_insert after insert on trashed_media when new.cover_of is null begin
    insert into trash_usage values (new.workspace_id, 1, new.size)
    on conflict do update set items = items + excluded.items, bytes = bytes + excluded.bytes;
  end`,
  `create trigger trash_usage_delete after delete on trashed_media when old.cover_of is null begin
    update trash_usage set items = items - 1, bytes = bytes - old.size where workspace_id = old.workspace_id;
  end`,
  `create trigger trash_usage_forget after delete on workspaces begin
    delete from trash_usage where workspace_id = old.id;
  end`,
];
