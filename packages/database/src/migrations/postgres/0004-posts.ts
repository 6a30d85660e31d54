import { type Kysely, sql } from 'kysely';

/**
 * Profiles, posts and what posts add up to. Metrics are whole numbers. A post stays in its profile and its profile in
 * its workspace; the triggers keep what a post shows to active media of its workspace, and that media as it is, also
 * between two transactions: the first locks the item's row as the last does.
 *
 * `engagement_days` says of each day of UTC on which a profile has posts how many fell in which quarter of an hour and
 * what their engagement was: for each quarter that has any, in order, 13 bytes (its number of the day in 1, the posts
 * in 4, the sum of their engagement as a double in 8, little-endian). One row per day, so that a year of 50 profiles
 * is 18,250 rows to read however many posts there are.
 */
export async function up(db: Kysely<unknown>): Promise<void> {
  for (const statement of STATEMENTS) await sql.raw(statement).execute(db);
}

const STATEMENTS = [
  `create table profiles (
    id uuid primary key,
    workspace_id uuid not null references workspaces (id),
    name text not null,
    network text not null,
    created_at bigint not null,
    updated_at bigint not null,
    unique (workspace_id, id)
  )`,
  `create index profiles_latest on profiles (workspace_id, updated_at desc, id desc)`,

  `create table posts (
    id uuid primary key,
    workspace_id uuid not null,
    profile_id uuid not null,
    external_id text collate "C",
    published_at bigint not null check (published_at >= 0),
    text text,
    impressions bigint not null check (impressions >= 0),
    likes bigint not null check (likes >= 0),
    comments bigint not null check (comments >= 0),
    shares bigint not null check (shares >= 0),
    saves bigint not null check (saves >= 0),
    clicks bigint not null check (clicks >= 0),
    created_at bigint not null,
    updated_at bigint not null,
    foreign key (workspace_id, profile_id) references profiles (workspace_id, id) on delete restrict
  )`,
  `create index posts_latest on posts (workspace_id, published_at desc, id desc)`,
  `create index posts_of_profile on posts (profile_id, published_at desc, id desc)`,
  `create unique index posts_external on posts (profile_id, external_id) where external_id is not null`,

  `create table post_media (
    post_id uuid not null references posts (id) on delete cascade,
    position integer not null check (position >= 0),
    media_id uuid not null references media (id) on delete restrict,
    primary key (post_id, position),
    unique (post_id, media_id)
  )`,
  `create index post_media_uses on post_media (media_id)`,

  `create table engagement_days (
    profile_id uuid not null references profiles (id) on delete restrict,
    day integer not null check (day >= 0),
    quarters bytea not null check (length(quarters) between 13 and 96 * 13 and length(quarters) % 13 = 0),
    primary key (profile_id, day)
  )`,

  `create function profiles_keys() returns trigger language plpgsql as $$
    begin
      raise exception 'a profile stays in its workspace' using errcode = 'check_violation';
    end
  $$`,
  `create trigger profiles_keys before update of id, workspace_id on profiles
    for each row when ((new.id, new.workspace_id) is distinct from (old.id, old.workspace_id))
    execute function profiles_keys()`,

  `create function posts_keys() returns trigger language plpgsql as $$
    begin
      raise exception 'a post stays in its profile' using errcode = 'check_violation';
    end
  $$`,
  `create trigger posts_keys before update of id, workspace_id, profile_id on posts
    for each row when (
      (new.id, new.workspace_id, new.profile_id) is distinct from (old.id, old.workspace_id, old.profile_id)
    )
    execute function posts_keys()`,

  `create function post_media_attach() returns trigger language plpgsql as $$
    begin
      perform 1 from media
      join posts on posts.id = new.post_id and posts.workspace_id = media.workspace_id
      where media.id = new.media_id and media.status = 'active' and media.cover_of is null
      for share of media;
      if not found then
        raise exception 'a post shows active media of its workspace' using errcode = 'check_violation';
      end if;
      return new;
    end
  $$`,
  `create trigger post_media_attach before insert on post_media
    for each row execute function post_media_attach()`,

  `create function post_media_keys() returns trigger language plpgsql as $$
    begin
      raise exception 'media of a post is taken off and put on' using errcode = 'check_violation';
    end
  $$`,
  `create trigger post_media_keys before update of post_id, media_id on post_media
    for each row when ((new.post_id, new.media_id) is distinct from (old.post_id, old.media_id))
    execute function post_media_keys()`,

  `create function media_in_use() returns trigger language plpgsql as $$
    begin
      if exists (select 1 from post_media where media_id = old.id) then
        raise exception 'a post uses this item' using errcode = 'check_violation';
      end if;
      return new;
    end
  $$`,
  `create trigger media_in_use before update of id, workspace_id, status, cover_of on media
    for each row when (
      (new.id, new.workspace_id, new.status, new.cover_of)
        is distinct from (old.id, old.workspace_id, old.status, old.cover_of)
    )
    execute function media_in_use()`,
];
