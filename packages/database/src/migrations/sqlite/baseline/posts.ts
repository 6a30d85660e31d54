/** Profiles, their posts with metrics, the media of posts, and calendar links. */
export const POSTS = [
  // `removal_begun_at`: from then on, only the removal of its posts sees the profile.
  `create table profiles (
    id text primary key,
    workspace_id text not null references workspaces (id),
    name text not null,
    network text not null,
    created_at integer not null,
    updated_at integer not null,
    removal_begun_at integer,
    version integer not null default 1,
    unique (workspace_id, id)
  ) strict`,
  'create index profiles_latest on profiles (workspace_id, updated_at desc, id desc)',
  'create index profiles_removed on profiles (removal_begun_at) where removal_begun_at is not null',
  `create trigger profiles_keys before update of id, workspace_id on profiles
    when (new.id, new.workspace_id) is not (old.id, old.workspace_id)
    begin
      select raise(abort, 'a profile stays in its workspace');
    end`,

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
    version integer not null default 1,
    foreign key (workspace_id, profile_id) references profiles (workspace_id, id) on delete restrict
  ) strict`,
  'create index posts_latest on posts (workspace_id, published_at desc, id desc)',
  'create index posts_of_profile on posts (profile_id, published_at desc, id desc)',
  'create unique index posts_external on posts (profile_id, external_id) where external_id is not null',
  // The index has every column from which best times are estimated.
  `create index posts_learned on posts
    (profile_id, published_at desc, created_at, likes, comments, shares, saves, impressions, clicks)`,
  `create trigger posts_keys before update of id, workspace_id, profile_id on posts
    when (new.id, new.workspace_id, new.profile_id) is not (old.id, old.workspace_id, old.profile_id)
    begin
      select raise(abort, 'a post stays in its profile');
    end`,

  // The media of a post, in order: active items of its workspace. While a post shows an item, the item's status and
  // workspace can't be changed.
  `create table post_media (
    post_id text not null references posts (id) on delete cascade,
    position integer not null check (position >= 0),
    media_id text not null references media (id) on delete restrict,
    primary key (post_id, position),
    unique (post_id, media_id)
  ) strict, without rowid`,
  'create index post_media_uses on post_media (media_id)',
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

  // The number of posts of each profile.
  `create table post_counts (
    profile_id text primary key,
    workspace_id text not null,
    posts integer not null check (posts >= 0)
  ) strict, without rowid`,
  'create index post_counts_of_workspace on post_counts (workspace_id)',
  `create trigger post_counts_insert after insert on posts begin
    insert into post_counts values (new.profile_id, new.workspace_id, 1) on conflict do update set posts = posts + 1;
  end`,
  `create trigger post_counts_delete after delete on posts begin
    update post_counts set posts = posts - 1 where profile_id = old.profile_id;
  end`,

  // Links at which calendars read suggested times. `exclude`: hours of the week for which no time is suggested.
  `create table calendars (
    id text primary key,
    workspace_id text not null references workspaces (id) on delete cascade,
    profile_id text references profiles (id) on delete cascade,
    count integer not null check (count > 0),
    min_gap_minutes integer not null check (min_gap_minutes >= 0),
    exclude text,
    hash text not null,
    created_at integer not null
  ) strict, without rowid`,
  'create index calendars_latest on calendars (workspace_id, created_at, id)',
  'create index calendars_of_profiles on calendars (profile_id) where profile_id is not null',
];
