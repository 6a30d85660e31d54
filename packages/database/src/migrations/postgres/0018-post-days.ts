import { type Kysely, sql } from 'kysely';

/**
 * `post_days`: how many posts a profile has that were published on a day of UTC, so that a list within a time needn't count them. Kept by
 * triggers with the posts themselves; a day without any has no row. Who writes posts has the profile's row locked, so one row a day
 * will do.
 */
export async function up(db: Kysely<unknown>): Promise<void> {
  for (const statement of STATEMENTS) await sql.raw(statement).execute(db);
}

const dayOf = (row: string): string => `${row}workspace_id, ${row}profile_id, ${row}published_at / 86400000`;

const STATEMENTS = [
  `create table post_days (
    workspace_id uuid not null,
    profile_id uuid not null,
    day bigint not null,
    posts bigint not null check (posts >= 0),
    primary key (workspace_id, profile_id, day)
  ) with (fillfactor = 50)`,

  `create function post_days_add() returns trigger language plpgsql as $$
    begin
      if tg_op = 'INSERT' then
        insert into post_days
        select ${dayOf('')}, count(*) from added group by 1, 2, 3 order by 1, 2, 3
        on conflict (workspace_id, profile_id, day) do update set posts = post_days.posts + excluded.posts;
      else
        update post_days set posts = posts - g.n
        from (select ${dayOf('')}, count(*) from gone group by 1, 2, 3) as g (w, p, d, n)
        where (workspace_id, profile_id, day) = (g.w, g.p, g.d);
        delete from post_days using gone
        where (post_days.workspace_id, post_days.profile_id, post_days.day) = (${dayOf('gone.')}) and post_days.posts = 0;
      end if;
      return null;
    end
  $$`,
  `create trigger post_days_insert after insert on posts referencing new table as added
    for each statement execute function post_days_add()`,
  `create trigger post_days_delete after delete on posts referencing old table as gone
    for each statement execute function post_days_add()`,

  // Seldom, and a post stays in its profile.
  `create function post_days_move() returns trigger language plpgsql as $$
    begin
      update post_days set posts = posts - 1 where (workspace_id, profile_id, day) = (${dayOf('old.')});
      delete from post_days where (workspace_id, profile_id, day) = (${dayOf('old.')}) and posts = 0;
      insert into post_days values (${dayOf('new.')}, 1)
      on conflict (workspace_id, profile_id, day) do update set posts = post_days.posts + 1;
      return null;
    end
  $$`,
  `create trigger post_days_move after update of published_at on posts
    for each row when (new.published_at / 86400000 <> old.published_at / 86400000)
    execute function post_days_move()`,

  // The triggers above have locked the table: nobody writes until this is committed.
  `insert into post_days select ${dayOf('')}, count(*) from posts group by 1, 2, 3`,
];
