import { type Kysely, sql } from 'kysely';

/**
 * What lists of very many rows are read by.
 *
 * Of media: their order by creation, in a workspace and in each folder, and by day of UTC the order of the last change.
 * `media_days`: listed media by day of creation and by the groups of `media_counts`, in slots as those are, and
 * `folder_counts`: the folders that are directly in each (zeros for the root); both are kept by triggers. Who writes folders
 * has their workspace's lock.
 *
 * Trigrams need an extension, which may not be made by everybody: their index is no part of the schema
 * (`postgres/search-index.ts`).
 */
export async function up(db: Kysely<unknown>): Promise<void> {
  for (const statement of STATEMENTS) await sql.raw(statement).execute(db);
}

const NOTHING = `'00000000-0000-0000-0000-000000000000'::uuid`;
const GROUP = `workspace_id, created_at / 86400000, coalesce(folder_id, ${NOTHING}), status,
  case when type is null then '' when type like 'video/%' then 'video' else 'image' end`;

/** @param rows of groups: workspace, day, folder, status, kind and how many more there are */
const addItems = (rows: string): string => `
  insert into media_days
  select g.w, g.d, g.f, g.s, g.k, media_counts_slot(g.w), g.n from (${rows}) as g (w, d, f, s, k, n)
  on conflict (workspace_id, day, folder_id, status, kind, slot)
    do update set items = media_days.items + excluded.items;`;
const addFolders = (rows: string): string => `
  insert into folder_counts
  select g.w, g.p, g.n from (
    select w, p, sum(n) from (${rows}) as moved (w, p, n) group by 1, 2 having sum(n) <> 0 order by 1, 2
  ) as g (w, p, n)
  on conflict (workspace_id, parent_id) do update set folders = folder_counts.folders + excluded.folders;`;
const PARENT = `workspace_id, coalesce(parent_id, ${NOTHING})`;

const STATEMENTS = [
  `create index media_newest on media (workspace_id, created_at desc, id desc) where cover_of is null`,
  // Two, as in 0001.
  `create index media_newest_in_folder on media (workspace_id, folder_id, created_at desc, id desc)
    where folder_id is not null and cover_of is null`,
  `create index media_newest_at_root on media (workspace_id, created_at desc, id desc)
    where folder_id is null and cover_of is null`,
  // By a sum that is in no other index: a planner which takes days for evenly spread would walk in another's order.
  `create index media_latest_of_day on media
    (workspace_id, (created_at / 86400000), (updated_at + 0) desc, id desc) include (created_at)
    where cover_of is null`,

  `create table media_days (
    workspace_id uuid not null,
    day bigint not null,
    folder_id uuid not null,
    status text collate "C" not null,
    kind text collate "C" not null,
    slot smallint not null,
    items bigint not null,
    primary key (workspace_id, day, folder_id, status, kind, slot)
  ) with (fillfactor = 50)`,
  `create function media_days_add() returns trigger language plpgsql as $$
    begin
      if tg_op = 'INSERT' then
        ${addItems(`select ${GROUP}, count(*) from added where cover_of is null
          group by 1, 2, 3, 4, 5 order by 1, 2, 3, 4, 5`)}
      elsif tg_op = 'DELETE' then
        ${addItems(`select ${GROUP}, -count(*) from gone where cover_of is null
          group by 1, 2, 3, 4, 5 order by 1, 2, 3, 4, 5`)}
      else
        ${addItems(`select w, d, f, s, k, sum(n) from (
            select ${GROUP}, 1 from added where cover_of is null
            union all
            select ${GROUP}, -1 from gone where cover_of is null
          ) as moved (w, d, f, s, k, n)
          group by 1, 2, 3, 4, 5 having sum(n) <> 0 order by 1, 2, 3, 4, 5`)}
      end if;
      return null;
    end
  $$`,
  `create trigger media_days_insert after insert on media referencing new table as added
    for each statement execute function media_days_add()`,
  `create trigger media_days_delete after delete on media referencing old table as gone
    for each statement execute function media_days_add()`,
  `create trigger media_days_update after update on media referencing old table as gone new table as added
    for each statement execute function media_days_add()`,

  `create table folder_counts (
    workspace_id uuid not null,
    parent_id uuid not null,
    folders bigint not null check (folders >= 0),
    primary key (workspace_id, parent_id)
  ) with (fillfactor = 50)`,
  `create function folder_counts_add() returns trigger language plpgsql as $$
    begin
      if tg_op = 'INSERT' then
        ${addFolders(`select ${PARENT}, 1 from added`)}
      elsif tg_op = 'DELETE' then
        update folder_counts set folders = folders - g.n
        from (select ${PARENT}, count(*) from gone group by 1, 2) as g (w, p, n)
        where (workspace_id, parent_id) = (g.w, g.p);
        -- What was in a folder that goes has gone before.
        delete from folder_counts using gone
        where folder_counts.workspace_id = gone.workspace_id and folder_counts.parent_id = gone.id;
      else
        update folder_counts set folders = folders + g.n
        from (
          select w, p, sum(n) from (
            select ${PARENT}, 1 from added union all select ${PARENT}, -1 from gone
          ) as moved (w, p, n)
          group by 1, 2 having sum(n) < 0
        ) as g (w, p, n)
        where (workspace_id, parent_id) = (g.w, g.p);
        insert into folder_counts
        select g.w, g.p, g.n from (
          select w, p, sum(n) from (
            select ${PARENT}, 1 from added union all select ${PARENT}, -1 from gone
          ) as moved (w, p, n)
          group by 1, 2 having sum(n) > 0 order by 1, 2
        ) as g (w, p, n)
        on conflict (workspace_id, parent_id) do update set folders = folder_counts.folders + excluded.folders;
      end if;
      return null;
    end
  $$`,
  `create trigger folder_counts_insert after insert on folders referencing new table as added
    for each statement execute function folder_counts_add()`,
  `create trigger folder_counts_delete after delete on folders referencing old table as gone
    for each statement execute function folder_counts_add()`,
  `create trigger folder_counts_update after update on folders referencing old table as gone new table as added
    for each statement execute function folder_counts_add()`,

  `create function large_lists_forget() returns trigger language plpgsql as $$
    begin
      delete from media_days where workspace_id = old.id;
      delete from folder_counts where workspace_id = old.id;
      return null;
    end
  $$`,
  `create trigger large_lists_forget after delete on workspaces
    for each row execute function large_lists_forget()`,

  // The triggers above have locked both tables: nobody writes until this is committed.
  `insert into media_days
    select g.w, g.d, g.f, g.s, g.k, 0, g.n
    from (
      select ${GROUP}, count(*) from media where cover_of is null group by 1, 2, 3, 4, 5
    ) as g (w, d, f, s, k, n)`,
  `insert into folder_counts
    select g.w, g.p, g.n from (select ${PARENT}, count(*) from folders group by 1, 2) as g (w, p, n)`,
];
