import { type Kysely, sql } from 'kysely';

/**
 * Profiles, posts and what posts add up to. Metrics are whole numbers. A post stays in its profile and its profile in
 * its workspace; the triggers keep what a post shows to active media of its workspace, and that media as it is.
 *
 * `engagement_days` says of each day of UTC on which a profile has posts how many fell in which quarter of an hour and
 * what their engagement was: for each quarter that has any, in order, 13 bytes (its number of the day in 1, the posts
 * in 4, the sum of their engagement as a double in 8, little-endian). One row per day, so that a year of 50 profiles
 * is 18,250 rows to read however many posts there are; a row per quarter would be up to 1.75 million.
 */
export async function up(db: Kysely<unknown>): Promise<void> {
  for (const statement of STATEMENTS) await sql.raw(statement).execute(db);
}

const STATEMENTS = [
  `create table profiles (
    id text primary key,
    workspace_id text not null references workspaces (id),
    name text not null,
    network text not null,
    created_at integer not null,
    updated_at integer not null,
    unique (workspace_id, id)
  ) strict`,
  `create index profiles_latest on profiles (workspace_id, updated_at desc, id desc)`,

  `create table posts (
    id text primary key,
    workspace_id text not null,
    profile_id text not null,
    external_id text,
    published_at integer not null check (published_at >= 0),
    text text,
    impressions integer not null check (impressions >= 0),
    likes integer not null check (likes >= 0),
    comments integer not null check (comments >= 0),
    shares integer not null check (shares >= 0),
    saves integer not null check (saves >= 0),
    clicks integer not null check (clicks >= 0),
    created_at integer not null,
    updated_at integer not null,
    foreign key (workspace_id, profile_id) references profiles (workspace_id, id) on delete restrict
  ) strict`,
  `create index posts_latest on posts (workspace_id, published_at desc, id desc)`,
  `create index posts_of_profile on posts (profile_id, published_at desc, id desc)`,
  `create unique index posts_external on posts (profile_id, external_id) where external_id is not null`,

  `create table post_media (
    post_id text not null references posts (id) on delete cascade,
    position integer not null check (position >= 0),
    media_id text not null references media (id) on delete restrict,
    primary key (post_id, position),
    unique (post_id, media_id)
  ) strict, without rowid`,
  `create index post_media_uses on post_media (media_id)`,

  `create table engagement_days (
    profile_id text not null references profiles (id) on delete restrict,
    day integer not null check (day >= 0),
    quarters blob not null check (length(quarters) between 13 and 96 * 13 and length(quarters) % 13 = 0),
    primary key (profile_id, day)
  ) strict`,

  `create trigger profiles_keys before update of id, workspace_id on profiles
    when (new.id, new.workspace_id) is not (old.id, old.workspace_id)
    begin
      select raise(abort, 'a profile stays in its workspace');
    end`,
  `create trigger posts_keys before update of id, workspace_id, profile_id on posts
    when (new.id, new.workspace_id, new.profile_id) is not (old.id, old.workspace_id, old.profile_id)
    begin
      select raise(abort, 'a post stays in its profile');
    end`,
  `create trigger post_media_attach before insert on post_media
    when not exists (
      select 1 from media
      join posts on posts.id = new.post_id and posts.workspace_id = media.workspace_id
      where media.id = new.media_id and media.status = 'active' and media.cover_of is null
    )
    begin
      select raise(abort, 'a post shows active media of its workspace');
    end`,
  `create trigger post_media_keys before update of post_id, media_id on post_media
    when (new.post_id, new.media_id) is not (old.post_id, old.media_id)
    begin
      select raise(abort, 'media of a post is taken off and put on');
    end`,
  `create trigger media_in_use before update of id, workspace_id, status, cover_of on media
    when (new.id, new.workspace_id, new.status, new.cover_of)
        is not (old.id, old.workspace_id, old.status, old.cover_of)
      and exists (select 1 from post_media where media_id = old.id)
    begin
      select raise(abort, 'a post uses this item');
    end`,
];
