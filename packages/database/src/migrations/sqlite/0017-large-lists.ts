import { type Kysely, sql } from 'kysely';

/**
 * What lists of very many rows are read by.
 *
 * Of media: their order by creation, in a workspace and in each folder, and by day of UTC the order of the last change.
 * `media_days`: listed media by day of creation and by the groups of `media_counts`, and `folder_counts`: the folders that are
 * directly in each (empty for the root); both are kept by triggers.
 *
 * `media_search`: trigrams of search keys, without the keys; `media_search_short`: the characters of each and its pairs of two, as
 * `sqlite/fill-search-index.ts` writes them. An entry goes by a number, the item's `search_number`; an item without
 * one isn't in the index, and nothing has to be there at once: the numbers of a workspace begin at `scope << 32`, and
 * `media_search_removed` has what is to be taken out, with the key that was put in. A scope is never used anew.
 */
export async function up(db: Kysely<unknown>): Promise<void> {
  for (const statement of STATEMENTS) await sql.raw(statement).execute(db);
}

const groupOf = (row: string): string =>
  `${row}workspace_id, ${row}created_at / 86400000, coalesce(${row}folder_id, ''), ${row}status,
    case when ${row}type is null then '' when ${row}type like 'video/%' then 'video' else 'image' end`;

const addItem = `insert into media_days values (${groupOf('new.')}, 1)
  on conflict do update set items = items + 1;`;
const takeItem = `update media_days set items = items - 1
  where (workspace_id, day, folder_id, status, kind) = (${groupOf('old.')});
  delete from media_days
  where (workspace_id, day, folder_id, status, kind) = (${groupOf('old.')}) and items = 0;`;
const GROUPED = 'workspace_id, created_at, folder_id, status, type, cover_of';
const isMoved = `(new.workspace_id, new.created_at, new.folder_id, new.status, new.type, new.cover_of)
  is not (old.workspace_id, old.created_at, old.folder_id, old.status, old.type, old.cover_of)`;

const addFolder = `insert into folder_counts values (new.workspace_id, coalesce(new.parent_id, ''), 1)
  on conflict do update set folders = folders + 1;`;
const takeFolder = `update folder_counts set folders = folders - 1
  where workspace_id = old.workspace_id and parent_id = coalesce(old.parent_id, '');`;

const STATEMENTS = [
  `create index media_newest on media (workspace_id, created_at desc, id desc) where cover_of is null`,
  `create index media_newest_in_folder on media (workspace_id, folder_id, created_at desc, id desc)
    where cover_of is null`,
  `create index media_latest_of_day on media
    (workspace_id, created_at / 86400000, updated_at desc, id desc, created_at) where cover_of is null`,

  `create table media_days (
    workspace_id text not null,
    day integer not null,
    folder_id text not null,
    status text not null,
    kind text not null,
    items integer not null check (items >= 0),
    primary key (workspace_id, day, folder_id, status, kind)
  ) strict, without rowid`,
  `create trigger media_days_insert after insert on media when new.cover_of is null begin ${addItem} end`,
  `create trigger media_days_delete after delete on media when old.cover_of is null begin ${takeItem} end`,
  `create trigger media_days_leave after update of ${GROUPED} on media
    when old.cover_of is null and ${isMoved} begin ${takeItem} end`,
  `create trigger media_days_enter after update of ${GROUPED} on media
    when new.cover_of is null and ${isMoved} begin ${addItem} end`,

  `create table folder_counts (
    workspace_id text not null,
    parent_id text not null,
    folders integer not null check (folders >= 0),
    primary key (workspace_id, parent_id)
  ) strict, without rowid`,
  `create trigger folder_counts_insert after insert on folders begin ${addFolder} end`,
  // What was in a folder that goes has gone before.
  `create trigger folder_counts_delete after delete on folders begin
    ${takeFolder}
    delete from folder_counts where workspace_id = old.workspace_id and parent_id = old.id;
  end`,
  `create trigger folder_counts_move after update of workspace_id, parent_id on folders
    when (new.workspace_id, new.parent_id) is not (old.workspace_id, old.parent_id)
    begin ${takeFolder} ${addFolder} end`,

  `create virtual table media_search using fts5(
    search_key, content = '', columnsize = 0, tokenize = 'trigram case_sensitive 1'
  )`,
  `create virtual table media_search_short using fts5(
    search_key, content = '', columnsize = 0, detail = none, tokenize = 'ascii'
  )`,
  // Segments are merged by whoever fills it, a few pages at a time; never all at once within an insert.
  `insert into media_search (media_search, rank) values ('automerge', 0)`,
  `insert into media_search (media_search, rank) values ('crisismerge', 1000)`,
  `insert into media_search_short (media_search_short, rank) values ('automerge', 0)`,
  `insert into media_search_short (media_search_short, rank) values ('crisismerge', 1000)`,
  `create table media_search_scopes (
    scope integer primary key autoincrement,
    workspace_id text not null unique,
    last_number integer not null
  ) strict`,
  `create table media_search_removed (
    number integer primary key,
    search_key text not null
  ) strict`,
  `alter table media add column search_number integer`,
  `create unique index media_searched on media (search_number) where search_number is not null`,
  `create index media_unsearched on media (workspace_id) where search_number is null and cover_of is null`,
  `create trigger media_search_change after update of workspace_id, search_key, cover_of on media
    when old.search_number is not null and old.search_number is new.search_number
      and (new.workspace_id, new.search_key, new.cover_of) is not (old.workspace_id, old.search_key, old.cover_of)
    begin
      insert into media_search_removed values (old.search_number, old.search_key);
      update media set search_number = null where id = new.id;
    end`,
  `create trigger media_search_delete after delete on media when old.search_number is not null begin
    insert into media_search_removed values (old.search_number, old.search_key);
  end`,
  `create trigger media_search_forget after delete on workspaces begin
    delete from media_search_scopes where workspace_id = old.id;
    delete from media_days where workspace_id = old.id;
    delete from folder_counts where workspace_id = old.id;
  end`,

  `insert into media_days
    select ${groupOf('')}, count(*) from media where cover_of is null group by 1, 2, 3, 4, 5`,
  `insert into folder_counts
    select workspace_id, coalesce(parent_id, ''), count(*) from folders group by 1, 2`,
];
