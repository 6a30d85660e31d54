import { type Kysely, sql } from 'kysely';

/**
 * `post_days`: how many posts a profile has that were published on a day of UTC, so that a list within a time needn't count them. Kept by
 * triggers with the posts themselves; a day without any has no row.
 */
export async function up(db: Kysely<unknown>): Promise<void> {
  for (const statement of STATEMENTS) await sql.raw(statement).execute(db);
}

const dayOf = (row: string): string => `${row}workspace_id, ${row}profile_id, ${row}published_at / 86400000`;

const addPost = `insert into post_days values (${dayOf('new.')}, 1) on conflict do update set posts = posts + 1;`;
const takePost = `update post_days set posts = posts - 1 where (workspace_id, profile_id, day) = (${dayOf('old.')});
  delete from post_days where (workspace_id, profile_id, day) = (${dayOf('old.')}) and posts = 0;`;

const STATEMENTS = [
  `create table post_days (
    workspace_id text not null,
    profile_id text not null,
    day integer not null,
    posts integer not null check (posts >= 0),
    primary key (workspace_id, profile_id, day)
  ) strict, without rowid`,
  `create trigger post_days_insert after insert on posts begin ${addPost} end`,
  `create trigger post_days_delete after delete on posts begin ${takePost} end`,
  // A post stays in its profile.
  `create trigger post_days_move after update of published_at on posts
    when new.published_at / 86400000 <> old.published_at / 86400000
    begin ${takePost} ${addPost} end`,
  `insert into post_days select ${dayOf('')}, count(*) from posts group by 1, 2, 3`,
];
