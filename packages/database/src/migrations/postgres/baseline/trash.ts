import { statementTriggers, triggerFunction } from './triggers.ts';

const add = (rows: 'added' | 'gone', sign: '' | '-'): string => `insert into trash_usage
        select g.w, media_counts_slot(g.w), g.n, g.b from (
          select workspace_id, ${sign}count(*), ${sign}sum(size) from ${rows} where cover_of is null group by 1 order by 1
        ) as g (w, n, b)
        on conflict (workspace_id, slot)
          do update set items = trash_usage.items + excluded.items, bytes = trash_usage.bytes + excluded.bytes;`;

/** Deleted items that can be restored. */
export const TRASH = [
  // Rows of `media`, covers included, with their tags as a JSON array.
  `create table trashed_media (
    id uuid primary key,
    workspace_id uuid not null references workspaces (id),
    folder_id uuid,
    name text not null,
    full_name text collate "C" not null unique,
    label text,
    search_key text collate "C" not null,
    created_at bigint not null,
    updated_at bigint not null,
    status text not null check (status = 'active'),
    type text not null,
    size bigint not null check (size >= 0),
    sha256 text,
    width integer not null,
    height integer not null,
    time integer,
    cover_of uuid,
    error_message text,
    details text,
    alt_text text,
    fitted_from uuid,
    created_by uuid,
    created_by_kind text,
    version integer not null,
    tags text not null check (json_typeof(tags::json) = 'array'),
    trashed_at bigint not null
  )`,
  'create unique index trashed_media_covers on trashed_media (cover_of) where cover_of is not null',
  `create index trashed_media_latest on trashed_media (workspace_id, trashed_at desc, id desc) where cover_of is null`,
  'create index trashed_media_due on trashed_media (trashed_at) where cover_of is null',

  // Items that were trashed at or before `emptied_at` are to be purged; the row exists while any of them are left.
  `create table trash_emptied (
    workspace_id uuid primary key references workspaces (id) on delete cascade,
    emptied_at bigint not null
  )`,

  // The usage of a workspace's trash, in slots like `media_counts`.
  `create table trash_usage (
    workspace_id uuid not null,
    slot smallint not null,
    items bigint not null,
    bytes bigint not null,
    primary key (workspace_id, slot)
  ) with (fillfactor = 50)`,
  triggerFunction(
    'trash_usage_add',
    `if tg_op = 'INSERT' then
        ${add('added', '')}
      else
        ${add('gone', '-')}
      end if;
      return null;`,
  ),
  ...statementTriggers(['trash_usage_insert', 'trash_usage_delete'], 'trashed_media', 'trash_usage_add()'),
  triggerFunction('trash_usage_forget', 'delete from trash_usage where workspace_id = old.id;\n      return null;'),
  'create trigger trash_usage_forget after delete on workspaces for each row execute function trash_usage_forget()',
];
