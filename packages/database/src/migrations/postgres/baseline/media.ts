import { NO_FOLDER, refusal, statementTriggers, triggerFunction } from './triggers.ts';

const GROUP = `workspace_id, coalesce(folder_id, ${NO_FOLDER}), status,
          case when type is null then '' when type like 'video/%' then 'video' else 'image' end`;

/**
 * Every statement writes rows in the same order. So two statements that share a slot wait for each other, but don't
 * deadlock.
 */
const count = (groups: string): string => `insert into media_counts
        select g.w, g.f, g.s, g.k, media_counts_slot(g.w), g.n
        from (${groups} order by 1, 2, 3, 4) as g (w, f, s, k, n)
        on conflict (workspace_id, folder_id, status, kind, slot)
          do update set items = media_counts.items + excluded.items;`;

/** Media items, their tags, and the number of items per workspace, folder, status and kind. */
export const MEDIA = [
  // The checks refuse a row whose columns don't fit its status. The keys keep an item's folder and cover in its
  // workspace. `cover_of`: the video whose cover the item is; this key is checked at the commit, because the cover may
  // be inserted first. `details`: a JSON object, null until the file has been inspected. `fitted_from`: the item that
  // this one was made from to fit a target; it may have been deleted. `created_by`: the token or the person that
  // created the item.
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
    details text check (details is null or (status = 'active' and json_typeof(details::json) = 'object')),
    alt_text text,
    fitted_from uuid,
    created_by uuid,
    created_by_kind text,
    version integer not null default 1,
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
  'create unique index media_covers on media (cover_of) where cover_of is not null',
  'create index media_latest on media (workspace_id, updated_at desc, id desc) where cover_of is null',
  'create index media_newest on media (workspace_id, created_at desc, id desc) where cover_of is null',
  // There are two indexes for each order, as there are for folders.
  `create index media_in_folder on media (workspace_id, folder_id, updated_at desc, id desc) include (cover_of)
    where folder_id is not null`,
  `create index media_at_root on media (workspace_id, updated_at desc, id desc)
    where folder_id is null and cover_of is null`,
  `create index media_newest_in_folder on media (workspace_id, folder_id, created_at desc, id desc)
    where folder_id is not null and cover_of is null`,
  `create index media_newest_at_root on media (workspace_id, created_at desc, id desc)
    where folder_id is null and cover_of is null`,
  // This index finds files with the same bytes. Only active items have a hash.
  'create index media_hashes on media (workspace_id, sha256) where sha256 is not null and cover_of is null',
  // Items that have to be inspected; usually there are none.
  `create index media_unexamined on media (id) where status = 'active' and (details is null or sha256 is null)`,
  // Items that are rare in most workspaces. A list of them would otherwise scan all items.
  `create index media_unfinished on media (workspace_id, status) where cover_of is null and status <> 'active'`,
  `create index media_films on media (workspace_id) where cover_of is null and type > 'video/' and type < 'video0'`,

  // The tags of an item differ in `tag_key`, which is the tag with upper and lower case folded. Covers have no tags.
  `create table media_tags (
    media_id uuid not null references media (id) on delete cascade,
    position integer not null check (position >= 0),
    workspace_id uuid not null,
    tag text not null,
    tag_key text collate "C" not null,
    primary key (media_id, position),
    unique (media_id, tag_key)
  )`,
  'create index media_tags_of_workspaces on media_tags (workspace_id, tag_key, media_id)',
  triggerFunction(
    'media_tags_begin',
    `if not exists (
        select 1 from media where id = new.media_id and workspace_id = new.workspace_id and cover_of is null
      ) then
        raise exception 'a tag is on an item of its workspace' using errcode = 'check_violation';
      end if;
      return new;`,
  ),
  'create trigger media_tags_begin before insert on media_tags for each row execute function media_tags_begin()',
  refusal('media_tags_keys', 'a tag stays with its item'),
  `create trigger media_tags_keys before update of media_id, workspace_id on media_tags
    for each row when ((new.media_id, new.workspace_id) is distinct from (old.media_id, old.workspace_id))
    execute function media_tags_keys()`,

  // The number of media, without covers, by folder (zeros for the root), status and kind (`image`, `video`, or empty
  // while the type isn't known), so that the total of a list needn't be counted. If a count had a single row,
  // transactions would wait for each other. So each transaction adds to the lowest slot that no other transaction of
  // the workspace uses, and the sum of the slots is the count. Half of each page is left free, so that a row's next
  // version fits in the same page and no index has to change.
  `create table media_counts (
    workspace_id uuid not null,
    folder_id uuid not null,
    status text collate "C" not null,
    kind text collate "C" not null,
    slot smallint not null,
    items bigint not null,
    primary key (workspace_id, folder_id, status, kind, slot)
  ) with (fillfactor = 50)`,
  // Returns a free slot of the workspace, and keeps it until the transaction ends. If all 32 slots are taken, waits for
  // slot 0.
  `create function media_counts_slot(workspace uuid) returns smallint language plpgsql as $$
    begin
      for slot in 0..31 loop
        if pg_try_advisory_xact_lock(hashtextextended('postshelf media_counts ' || workspace || ' ' || slot, 0)) then
          return slot;
        end if;
      end loop;
      perform pg_advisory_xact_lock(hashtextextended('postshelf media_counts ' || workspace || ' 0', 0));
      return 0;
    end
  $$`,
  triggerFunction(
    'media_counts_add',
    `if tg_op = 'INSERT' then
        ${count(`select ${GROUP}, count(*) from added where cover_of is null group by 1, 2, 3, 4`)}
      elsif tg_op = 'DELETE' then
        ${count(`select ${GROUP}, -count(*) from gone where cover_of is null group by 1, 2, 3, 4`)}
      else
        ${count(`select w, f, s, k, sum(n) from (
            select ${GROUP}, 1 from added where cover_of is null
            union all
            select ${GROUP}, -1 from gone where cover_of is null
          ) as moved (w, f, s, k, n)
          group by 1, 2, 3, 4 having sum(n) <> 0`)}
      end if;
      return null;`,
  ),
  ...statementTriggers(
    ['media_counts_insert', 'media_counts_delete', 'media_counts_update'],
    'media',
    'media_counts_add()',
  ),
  // A folder is empty when it is deleted, so the sums of its slots are 0.
  triggerFunction(
    'media_counts_forget',
    `delete from media_counts where workspace_id = old.workspace_id and folder_id = old.id;
      return null;`,
  ),
  'create trigger media_counts_forget after delete on folders for each row execute function media_counts_forget()',

  // What is known about an item's previews: whether making them failed, and a tiny image that is shown until they are
  // loaded. Previews with `due_at` are made from that time on, even if they aren't requested.
  `create table previews (
    media_id uuid primary key references media (id) on delete cascade,
    has_failed smallint not null default 0 check (has_failed in (0, 1)),
    placeholder text check (placeholder is null or has_failed = 0),
    due_at bigint,
    faults bigint not null default 0 check (faults >= 0)
  )`,
  'create index previews_due on previews (due_at) where due_at is not null',

  // Ids that were issued for uploads of duplicates. Each is an alias of the existing item until `expires_at`.
  `create table duplicates (
    id uuid primary key,
    media_id uuid not null references media (id) on delete cascade,
    expires_at bigint not null
  )`,
  'create index duplicates_of_media on duplicates (media_id)',
  'create index duplicates_expiry on duplicates (expires_at)',
];
