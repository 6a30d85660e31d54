export const MEDIA_SEARCH_FORGET = `create trigger media_search_forget after delete on workspaces begin
    delete from media_search_scopes where workspace_id = old.id;
  end`;

/**
 * The search index. `media_search` has the trigrams of search keys, without the keys. `media_search_short` has the
 * characters and pairs of characters of each key, as `fill-search-index.ts` writes them. An entry is identified by the
 * item's `search_number`. An item without one isn't in the index yet.
 */
export const SEARCH = [
  `create virtual table media_search using fts5(
    search_key, content = '', columnsize = 0, tokenize = 'trigram case_sensitive 1'
  )`,
  `create virtual table media_search_short using fts5(
    search_key, content = '', columnsize = 0, detail = none, tokenize = 'ascii'
  )`,
  // SQLite's automatic merges are turned off, so that no insert has to merge all segments. The service itself merges a
  // few pages at a time.
  `insert into media_search (media_search, rank) values ('automerge', 0)`,
  `insert into media_search (media_search, rank) values ('crisismerge', 1000)`,
  `insert into media_search_short (media_search_short, rank) values ('automerge', 0)`,
  `insert into media_search_short (media_search_short, rank) values ('crisismerge', 1000)`,

  // The search numbers of a workspace begin at `scope << 32`. A scope is never used for another workspace.
  `create table media_search_scopes (
    scope integer primary key autoincrement,
    workspace_id text not null unique,
    last_number integer not null
  ) strict`,
  MEDIA_SEARCH_FORGET,

  // Entries that have to be removed from the index. To remove one, SQLite needs the key with which it was added.
  `create table media_search_removed (
    number integer primary key,
    search_key text not null
  ) strict`,
  'create unique index media_searched on media (search_number) where search_number is not null',
  'create index media_unsearched on media (workspace_id) where search_number is null and cover_of is null',
  // An item whose key changes is added to the index again, under another number.
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
];
