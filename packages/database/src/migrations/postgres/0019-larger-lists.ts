import { type Kysely, sql } from 'kysely';

/**
 * `media_unfinished` and `media_films`: listed media that are rare in most workspaces, as lists of them alone would else look at all.
 *
 * What searches have found, so that it needn't be counted anew:
 * `media_search_totals`: how many listed media of a workspace have a text in their search key, and, where those are few, their ids among
 * others; as of the workspace's base. `media_search_changes`: the keys that came (1) and went (-1) since then, as triggers write them within
 * the transaction of the change itself. So the total of any snapshot is the one that is kept, and what the changes of this snapshot
 * add to it. `media_search_bases`: `version` goes up when changes are worked in (`postgres/search-totals/`), so that
 * nothing is kept that was counted by another base.
 */
export async function up(db: Kysely<unknown>): Promise<void> {
  for (const statement of STATEMENTS) await sql.raw(statement).execute(db);
}

const STATEMENTS = [
  `create index media_unfinished on media (workspace_id, status) where cover_of is null and status <> 'active'`,
  `create index media_films on media (workspace_id) where cover_of is null and type > 'video/' and type < 'video0'`,

  `create table media_search_bases (
    workspace_id uuid primary key references workspaces (id) on delete cascade,
    version bigint not null
  )`,
  `create table media_search_totals (
    workspace_id uuid not null references media_search_bases (workspace_id) on delete cascade,
    text text collate "C" not null,
    items bigint not null,
    ids uuid[],
    kept_at bigint not null,
    primary key (workspace_id, text)
  )`,
  // Rows come and go.
  `create table media_search_changes (
    workspace_id uuid not null,
    id bigint generated always as identity,
    media_id uuid not null,
    search_key text collate "C" not null,
    items smallint not null check (items in (1, -1)),
    primary key (workspace_id, id)
  ) with (autovacuum_vacuum_scale_factor = 0, autovacuum_vacuum_threshold = 2000)`,

  `create function media_search_log() returns trigger language plpgsql as $$
    begin
      if tg_op = 'INSERT' then
        insert into media_search_changes (workspace_id, media_id, search_key, items)
        select workspace_id, id, search_key, 1 from added where cover_of is null;
      else
        insert into media_search_changes (workspace_id, media_id, search_key, items)
        select workspace_id, id, search_key, -1 from gone where cover_of is null;
      end if;
      return null;
    end
  $$`,
  `create trigger media_search_insert after insert on media referencing new table as added
    for each statement execute function media_search_log()`,
  `create trigger media_search_delete after delete on media referencing old table as gone
    for each statement execute function media_search_log()`,

  `create function media_search_move() returns trigger language plpgsql as $$
    begin
      if old.cover_of is null then
        insert into media_search_changes (workspace_id, media_id, search_key, items)
        values (old.workspace_id, old.id, old.search_key, -1);
      end if;
      if new.cover_of is null then
        insert into media_search_changes (workspace_id, media_id, search_key, items)
        values (new.workspace_id, new.id, new.search_key, 1);
      end if;
      return null;
    end
  $$`,
  `create trigger media_search_move after update of id, workspace_id, search_key, cover_of on media
    for each row when (
      (old.id, old.workspace_id, old.search_key, old.cover_of)
        is distinct from (new.id, new.workspace_id, new.search_key, new.cover_of)
    )
    execute function media_search_move()`,
];
