import { type Kysely, sql } from 'kysely';

/**
 * How many items a workspace has, kept up to date by triggers with the items themselves, so that a list's total needn't
 * be counted. `media_counts`: the listed media (no covers) of a workspace by folder (empty for the root), status and kind
 * (`image`, `video`, or empty where the type isn't known yet). `post_counts`: the posts of a profile.
 */
export async function up(db: Kysely<unknown>): Promise<void> {
  for (const statement of STATEMENTS) await sql.raw(statement).execute(db);
}

const groupOf = (row: string): string =>
  `${row}workspace_id, coalesce(${row}folder_id, ''), ${row}status,
    case when ${row}type is null then '' when ${row}type like 'video/%' then 'video' else 'image' end`;

const add = `insert into media_counts values (${groupOf('new.')}, 1)
  on conflict do update set items = items + 1;`;
const takeAway = `update media_counts set items = items - 1
  where (workspace_id, folder_id, status, kind) = (${groupOf('old.')});`;

const STATEMENTS = [
  `create table media_counts (
    workspace_id text not null,
    folder_id text not null,
    status text not null,
    kind text not null,
    items integer not null check (items >= 0),
    primary key (workspace_id, folder_id, status, kind)
  ) strict, without rowid`,
  `create trigger media_counts_insert after insert on media when new.cover_of is null begin ${add} end`,
  `create trigger media_counts_delete after delete on media when old.cover_of is null begin ${takeAway} end`,
  // Of the two that an update can be, the first takes it out and the second puts it back.
  `create trigger media_counts_leave after update of workspace_id, folder_id, status, type, cover_of on media
    when old.cover_of is null begin ${takeAway} end`,
  `create trigger media_counts_enter after update of workspace_id, folder_id, status, type, cover_of on media
    when new.cover_of is null begin ${add} end`,
  `create trigger media_counts_forget after delete on folders begin
    delete from media_counts where workspace_id = old.workspace_id and folder_id = old.id;
  end`,

  `create table post_counts (
    profile_id text primary key,
    workspace_id text not null,
    posts integer not null check (posts >= 0)
  ) strict, without rowid`,
  `create index post_counts_of_workspace on post_counts (workspace_id)`,
  `create trigger post_counts_insert after insert on posts begin
    insert into post_counts values (new.profile_id, new.workspace_id, 1) on conflict do update set posts = posts + 1;
  end`,
  `create trigger post_counts_delete after delete on posts begin
    update post_counts set posts = posts - 1 where profile_id = old.profile_id;
  end`,

  `insert into media_counts
    select ${groupOf('')}, count(*) from media where cover_of is null group by 1, 2, 3, 4`,
  `insert into post_counts select profile_id, workspace_id, count(*) from posts group by 1, 2`,
];
