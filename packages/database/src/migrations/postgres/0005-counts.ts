import { type Kysely, sql } from 'kysely';

/**
 * How many items a workspace has, kept up to date by triggers with the items themselves, so that a list's total needn't
 * be counted. What the rows of a group add up to is the count; one row alone says nothing.
 *
 * `media_counts`: the listed media (no covers) of a workspace by folder (zeros for the root), status and kind (`image`,
 * `video`, or empty where the type isn't known yet). A row that everybody changed would be waited for by everybody, so a
 * transaction writes to a slot which nobody else in the workspace has until it ends: the lowest that is free, for rows to
 * stay few. Were all 32 taken, it would wait for one.
 *
 * `post_counts`: the posts of a profile. Who writes posts has the profile's row locked already, so one row will do.
 */
export async function up(db: Kysely<unknown>): Promise<void> {
  for (const statement of STATEMENTS) await sql.raw(statement).execute(db);
}

const NO_FOLDER = `'00000000-0000-0000-0000-000000000000'::uuid`;
const GROUP = `workspace_id, coalesce(folder_id, ${NO_FOLDER}), status,
  case when type is null then '' when type like 'video/%' then 'video' else 'image' end`;

const STATEMENTS = [
  // Rows are changed in place as long as the page has room for another version.
  `create table media_counts (
    workspace_id uuid not null,
    folder_id uuid not null,
    status text collate "C" not null,
    kind text collate "C" not null,
    slot smallint not null,
    items bigint not null,
    primary key (workspace_id, folder_id, status, kind, slot)
  ) with (fillfactor = 50)`,

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

  // In one order, so that two statements which do share a slot wait for each other and don't meet.
  `create function media_counts_add() returns trigger language plpgsql as $$
    begin
      if tg_op = 'INSERT' then
        insert into media_counts
        select g.w, g.f, g.s, g.k, media_counts_slot(g.w), g.n
        from (
          select ${GROUP}, count(*) from added where cover_of is null group by 1, 2, 3, 4 order by 1, 2, 3, 4
        ) as g (w, f, s, k, n)
        on conflict (workspace_id, folder_id, status, kind, slot)
          do update set items = media_counts.items + excluded.items;
      elsif tg_op = 'DELETE' then
        insert into media_counts
        select g.w, g.f, g.s, g.k, media_counts_slot(g.w), -g.n
        from (
          select ${GROUP}, count(*) from gone where cover_of is null group by 1, 2, 3, 4 order by 1, 2, 3, 4
        ) as g (w, f, s, k, n)
        on conflict (workspace_id, folder_id, status, kind, slot)
          do update set items = media_counts.items + excluded.items;
      else
        insert into media_counts
        select g.w, g.f, g.s, g.k, media_counts_slot(g.w), g.n
        from (
          select w, f, s, k, sum(n) from (
            select ${GROUP}, 1 from added where cover_of is null
            union all
            select ${GROUP}, -1 from gone where cover_of is null
          ) as moved (w, f, s, k, n)
          group by 1, 2, 3, 4 having sum(n) <> 0 order by 1, 2, 3, 4
        ) as g (w, f, s, k, n)
        on conflict (workspace_id, folder_id, status, kind, slot)
          do update set items = media_counts.items + excluded.items;
      end if;
      return null;
    end
  $$`,
  `create trigger media_counts_insert after insert on media referencing new table as added
    for each statement execute function media_counts_add()`,
  `create trigger media_counts_delete after delete on media referencing old table as gone
    for each statement execute function media_counts_add()`,
  `create trigger media_counts_update after update on media referencing old table as gone new table as added
    for each statement execute function media_counts_add()`,

  // Empty, or it couldn't go.
  `create function media_counts_forget() returns trigger language plpgsql as $$
    begin
      delete from media_counts where workspace_id = old.workspace_id and folder_id = old.id;
      return null;
    end
  $$`,
  `create trigger media_counts_forget after delete on folders
    for each row execute function media_counts_forget()`,

  `create table post_counts (
    profile_id uuid primary key,
    workspace_id uuid not null,
    posts bigint not null check (posts >= 0)
  ) with (fillfactor = 50)`,
  `create index post_counts_of_workspace on post_counts (workspace_id)`,

  `create function post_counts_add() returns trigger language plpgsql as $$
    begin
      if tg_op = 'INSERT' then
        insert into post_counts
        select profile_id, workspace_id, count(*) from added group by 1, 2 order by 1
        on conflict (profile_id) do update set posts = post_counts.posts + excluded.posts;
      else
        update post_counts set posts = posts - g.n
        from (select profile_id, count(*) from gone group by 1) as g (profile_id, n)
        where post_counts.profile_id = g.profile_id;
      end if;
      return null;
    end
  $$`,
  `create trigger post_counts_insert after insert on posts referencing new table as added
    for each statement execute function post_counts_add()`,
  `create trigger post_counts_delete after delete on posts referencing old table as gone
    for each statement execute function post_counts_add()`,

  // The triggers above have locked both tables: nobody writes until this is committed.
  `insert into media_counts
    select g.w, g.f, g.s, g.k, 0, g.n
    from (select ${GROUP}, count(*) from media where cover_of is null group by 1, 2, 3, 4) as g (w, f, s, k, n)`,
  `insert into post_counts select profile_id, workspace_id, count(*) from posts group by 1, 2`,
];
