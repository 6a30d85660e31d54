import { type Kysely, sql } from 'kysely';
import { mediaNote } from './0022-events.ts';

/**
 * Quotas of workspaces, and what they hold. `workspace_usage`: `active` listed media by kind (`image`, `video`), and what
 * presigned uploads have announced (`reserved`); triggers keep it up to date, in slots as those of `media_counts`. A
 * presigned upload ends before its item becomes another, or goes with it: then its item is no longer there when it goes,
 * and is asked before. In workspaces with a quota changes of media are noted, too, even if nobody listens.
 */
export async function up(db: Kysely<unknown>): Promise<void> {
  for (const statement of STATEMENTS) await sql.raw(statement).execute(db);
}

const GROUP = `workspace_id, case when type like 'video/%' then 'video' else 'image' end`;
const COUNTED = `cover_of is null and status = 'active'`;

/** @param rows of groups: workspace, kind, how many more items and bytes */
const add = (rows: string): string => `
  insert into workspace_usage
  select g.w, g.k, media_counts_slot(g.w), g.n, g.b from (${rows}) as g (w, k, n, b)
  on conflict (workspace_id, kind, slot)
    do update set items = workspace_usage.items + excluded.items, bytes = workspace_usage.bytes + excluded.bytes;`;

const noted = (row: string): string =>
  `join workspaces on workspaces.id = ${row}.workspace_id and workspaces.removal_begun_at is null and (
    workspaces.listened_until is not null or workspaces.max_bytes is not null or workspaces.max_items is not null
    or exists (select from webhooks where webhooks.workspace_id = workspaces.id)
  )`;

const STATEMENTS = [
  'alter table workspaces add column max_bytes bigint check (max_bytes >= 0)',
  'alter table workspaces add column max_items bigint check (max_items >= 0)',
  `create table workspace_usage (
    workspace_id uuid not null,
    kind text collate "C" not null check (kind in ('image', 'video', 'reserved')),
    slot smallint not null,
    items bigint not null,
    bytes bigint not null,
    primary key (workspace_id, kind, slot)
  ) with (fillfactor = 50)`,

  `create function workspace_usage_add() returns trigger language plpgsql as $$
    begin
      if tg_op = 'INSERT' then
        ${add(`select ${GROUP}, count(*), sum(size) from added where ${COUNTED} group by 1, 2 order by 1, 2`)}
      elsif tg_op = 'DELETE' then
        ${add(`select ${GROUP}, -count(*), -sum(size) from gone where ${COUNTED} group by 1, 2 order by 1, 2`)}
      else
        ${add(`select w, k, sum(n), sum(b) from (
            select ${GROUP}, 1, size from added where ${COUNTED}
            union all
            select ${GROUP}, -1, -size from gone where ${COUNTED}
          ) as moved (w, k, n, b)
          group by 1, 2 having sum(n) <> 0 or sum(b) <> 0 order by 1, 2`)}
      end if;
      return null;
    end
  $$`,
  `create trigger workspace_usage_insert after insert on media referencing new table as added
    for each statement execute function workspace_usage_add()`,
  `create trigger workspace_usage_delete after delete on media referencing old table as gone
    for each statement execute function workspace_usage_add()`,
  `create trigger workspace_usage_update after update on media referencing old table as gone new table as added
    for each statement execute function workspace_usage_add()`,

  `create function workspace_usage_reserve() returns trigger language plpgsql as $$
    begin
      if tg_table_name = 'media' then
        ${add(`select old.workspace_id, 'reserved', -1, -size from presigned_uploads where media_id = old.id`)}
        return old;
      elsif tg_op = 'INSERT' then
        ${add(`select workspace_id, 'reserved', 1, new.size from media where id = new.media_id`)}
      else
        ${add(`select workspace_id, 'reserved', -1, -old.size from media where id = old.media_id`)}
      end if;
      return null;
    end
  $$`,
  `create trigger workspace_usage_reserve after insert on presigned_uploads
    for each row execute function workspace_usage_reserve()`,
  `create trigger workspace_usage_settle after delete on presigned_uploads
    for each row execute function workspace_usage_reserve()`,
  `create trigger workspace_usage_abandon before delete on media
    for each row when (old.status = 'temporary') execute function workspace_usage_reserve()`,

  `create function workspace_usage_forget() returns trigger language plpgsql as $$
    begin
      delete from workspace_usage where workspace_id = old.id;
      return null;
    end
  $$`,
  `create trigger workspace_usage_forget after delete on workspaces
    for each row execute function workspace_usage_forget()`,

  // The triggers above have locked both tables: nobody writes until this is committed.
  `insert into workspace_usage
    select g.w, g.k, 0, g.n, g.b
    from (select ${GROUP}, count(*), sum(size) from media where ${COUNTED} group by 1, 2) as g (w, k, n, b)`,
  `insert into workspace_usage
    select g.w, 'reserved', 0, g.n, g.b
    from (
      select media.workspace_id, count(*), sum(presigned_uploads.size)
      from presigned_uploads join media on media.id = presigned_uploads.media_id group by 1
    ) as g (w, n, b)`,
  mediaNote('create or replace function', noted),
];
