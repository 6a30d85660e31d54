const groupOf = (row: 'new' | 'old'): string =>
  `${row}.workspace_id, coalesce(${row}.folder_id, ''), ${row}.status,
    case when ${row}.type is null then '' when ${row}.type like 'video/%' then 'video' else 'image' end`;
const ADD = `insert into media_counts values (${groupOf('new')}, 1)
    on conflict do update set items = items + 1;`;
const SUBTRACT = `update media_counts set items = items - 1
    where (workspace_id, folder_id, status, kind) = (${groupOf('old')});`;

/** Media items, their tags, and the number of items per workspace, folder, status and kind. */
export const MEDIA = [
  // The checks refuse a row whose columns don't fit its status. The keys keep an item's folder and cover in its
  // workspace. `cover_of`: the video whose cover the item is; this key is checked at the commit, because the cover may
  // be inserted first. `details`: a JSON object, null until the file has been inspected. `fitted_from`: the item that
  // this one was made from to fit a target; it may have been deleted. `created_by`: the token or the person that
  // created the item. `search_number`: the item's entry in the search index.
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
    details text check (details is null or (status = 'active' and json_type(details) = 'object')),
    alt_text text,
    fitted_from text,
    search_number integer,
    created_by text,
    created_by_kind text,
    version integer not null default 1,
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
  // The index is partial, because SQLite would also use a full index for `cover_of is null`, a condition that most rows
  // of all workspaces meet.
  'create unique index media_covers on media (cover_of) where cover_of is not null',
  'create index media_latest on media (workspace_id, cover_of, updated_at desc, id desc)',
  'create index media_in_folder on media (workspace_id, folder_id, cover_of, updated_at desc, id desc)',
  'create index media_newest on media (workspace_id, created_at desc, id desc) where cover_of is null',
  `create index media_newest_in_folder on media (workspace_id, folder_id, created_at desc, id desc)
    where cover_of is null`,
  // This index finds files with the same bytes. Only active items have a hash.
  'create index media_hashes on media (workspace_id, sha256) where sha256 is not null and cover_of is null',
  // Items that have to be inspected; usually there are none.
  `create index media_unexamined on media (id) where status = 'active' and (details is null or sha256 is null)`,
  // Items that are rare in most workspaces. A list of them would otherwise scan all items.
  `create index media_unfinished on media (workspace_id, status) where cover_of is null and status <> 'active'`,
  `create index media_films on media (workspace_id) where cover_of is null and type > 'video/' and type < 'video0'`,

  // The tags of an item differ in `tag_key`, which is the tag with upper and lower case folded. Covers have no tags.
  `create table media_tags (
    media_id text not null references media (id) on delete cascade,
    position integer not null check (position >= 0),
    workspace_id text not null,
    tag text not null,
    tag_key text not null,
    primary key (media_id, position),
    unique (media_id, tag_key)
  ) strict, without rowid`,
  'create index media_tags_of_workspaces on media_tags (workspace_id, tag_key, media_id)',
  `create trigger media_tags_begin before insert on media_tags
    when not exists (
      select 1 from media where id = new.media_id and workspace_id = new.workspace_id and cover_of is null
    )
    begin
      select raise(abort, 'a tag is on an item of its workspace');
    end`,
  `create trigger media_tags_keys before update of media_id, workspace_id on media_tags
    when (new.media_id, new.workspace_id) is not (old.media_id, old.workspace_id)
    begin
      select raise(abort, 'a tag stays with its item');
    end`,

  // The number of media, without covers, by folder (empty for the root), status and kind (`image`, `video`, or empty
  // while the type isn't known), so that the total of a list needn't be counted.
  `create table media_counts (
    workspace_id text not null,
    folder_id text not null,
    status text not null,
    kind text not null,
    items integer not null check (items >= 0),
    primary key (workspace_id, folder_id, status, kind)
  ) strict, without rowid`,
  `create trigger media_counts_insert after insert on media when new.cover_of is null begin ${ADD} end`,
  `create trigger media_counts_delete after delete on media when old.cover_of is null begin ${SUBTRACT} end`,
  // An update of these columns fires both triggers: the first subtracts the item from its old count, and the second
  // adds it to its new count.
  `create trigger media_counts_leave after update of workspace_id, folder_id, status, type, cover_of on media
    when old.cover_of is null begin ${SUBTRACT} end`,
  `create trigger media_counts_enter after update of workspace_id, folder_id, status, type, cover_of on media
    when new.cover_of is null begin ${ADD} end`,
  `create trigger media_counts_forget after delete on folders begin
    delete from media_counts where workspace_id = old.workspace_id and folder_id = old.id;
  end`,

  // What is known about an item's previews: whether making them failed, and a tiny image that is shown until they are
  // loaded. Previews with `due_at` are made from that time on, even if they aren't requested.
  `create table previews (
    media_id text primary key references media (id) on delete cascade,
    has_failed integer not null default 0 check (has_failed in (0, 1)),
    placeholder text check (placeholder is null or has_failed = 0),
    due_at integer,
    faults integer not null default 0 check (faults >= 0)
  ) strict`,
  'create index previews_due on previews (due_at) where due_at is not null',

  // Ids that were issued for uploads of duplicates. Each is an alias of the existing item until `expires_at`.
  `create table duplicates (
    id text primary key,
    media_id text not null references media (id) on delete cascade,
    expires_at integer not null
  ) strict`,
  'create index duplicates_of_media on duplicates (media_id)',
  'create index duplicates_expiry on duplicates (expires_at)',
];
