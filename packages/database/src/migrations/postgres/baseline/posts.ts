import { refusal, statementTriggers, triggerFunction } from './triggers.ts';

/** Profiles, their posts with metrics, the media of posts, and calendar links. */
export const POSTS = [
  // `removal_begun_at`: from then on, only the removal of its posts sees the profile.
  `create table profiles (
    id uuid primary key,
    workspace_id uuid not null references workspaces (id),
    name text not null,
    network text not null,
    created_at bigint not null,
    updated_at bigint not null,
    removal_begun_at bigint,
    version integer not null default 1,
    unique (workspace_id, id)
  )`,
  'create index profiles_latest on profiles (workspace_id, updated_at desc, id desc)',
  'create index profiles_removed on profiles (removal_begun_at) where removal_begun_at is not null',
  refusal('profiles_keys', 'a profile stays in its workspace'),
  `create trigger profiles_keys before update of id, workspace_id on profiles
    for each row when ((new.id, new.workspace_id) is distinct from (old.id, old.workspace_id)) execute function profiles_keys()`,

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
    version integer not null default 1,
    foreign key (workspace_id, profile_id) references profiles (workspace_id, id) on delete restrict
  )`,
  'create index posts_latest on posts (workspace_id, published_at desc, id desc)',
  'create index posts_of_profile on posts (profile_id, published_at desc, id desc)',
  'create unique index posts_external on posts (profile_id, external_id) where external_id is not null',
  // The index has every column from which best times are estimated.
  `create index posts_learned on posts (profile_id, published_at desc)
    include (created_at, likes, comments, shares, saves, impressions, clicks)`,
  refusal('posts_keys', 'a post stays in its profile'),
  `create trigger posts_keys before update of id, workspace_id, profile_id on posts
    for each row when ((new.id, new.workspace_id, new.profile_id) is distinct from (old.id, old.workspace_id, old.profile_id)) execute function posts_keys()`,

  // The media of a post, in order: active items of its workspace. While a post shows an item, the item's status and
  // workspace can't be changed.
  `create table post_media (
    post_id uuid not null references posts (id) on delete cascade,
    position integer not null check (position >= 0),
    media_id uuid not null references media (id) on delete restrict,
    primary key (post_id, position),
    unique (post_id, media_id)
  )`,
  'create index post_media_uses on post_media (media_id)',
  triggerFunction(
    'post_media_attach',
    `perform 1 from media
      join posts on posts.id = new.post_id and posts.workspace_id = media.workspace_id
      where media.id = new.media_id and media.status = 'active' and media.cover_of is null
      for share of media;
      if not found then
        raise exception 'a post shows active media of its workspace' using errcode = 'check_violation';
      end if;
      return new;`,
  ),
  'create trigger post_media_attach before insert on post_media for each row execute function post_media_attach()',
  refusal('post_media_keys', 'media of a post is taken off and put on'),
  `create trigger post_media_keys before update of post_id, media_id on post_media
    for each row when ((new.post_id, new.media_id) is distinct from (old.post_id, old.media_id)) execute function post_media_keys()`,
  triggerFunction(
    'media_in_use',
    `if exists (select 1 from post_media where media_id = old.id) then
        raise exception 'a post uses this item' using errcode = 'check_violation';
      end if;
      return new;`,
  ),
  `create trigger media_in_use before update of id, workspace_id, status, cover_of on media
    for each row when ((new.id, new.workspace_id, new.status, new.cover_of) is distinct from (old.id, old.workspace_id, old.status, old.cover_of)) execute function media_in_use()`,

  // The number of posts of each profile. A transaction that writes posts holds the lock of the profile's row, so one
  // row per profile is enough.
  `create table post_counts (
    profile_id uuid primary key,
    workspace_id uuid not null,
    posts bigint not null check (posts >= 0)
  ) with (fillfactor = 50)`,
  'create index post_counts_of_workspace on post_counts (workspace_id)',
  triggerFunction(
    'post_counts_add',
    `if tg_op = 'INSERT' then
        insert into post_counts
        select profile_id, workspace_id, count(*) from added group by 1, 2 order by 1
        on conflict (profile_id) do update set posts = post_counts.posts + excluded.posts;
      else
        update post_counts set posts = posts - g.n
        from (select profile_id, count(*) from gone group by 1) as g (profile_id, n)
        where post_counts.profile_id = g.profile_id;
      end if;
      return null;`,
  ),
  ...statementTriggers(['post_counts_insert', 'post_counts_delete'], 'posts', 'post_counts_add()'),

  // Links at which calendars read suggested times. `exclude`: hours of the week for which no time is suggested.
  `create table calendars (
    id uuid primary key,
    workspace_id uuid not null references workspaces (id) on delete cascade,
    profile_id uuid references profiles (id) on delete cascade,
    count integer not null check (count > 0),
    min_gap_minutes integer not null check (min_gap_minutes >= 0),
    exclude text,
    hash text not null,
    created_at bigint not null
  )`,
  'create index calendars_latest on calendars (workspace_id, created_at, id)',
  'create index calendars_of_profiles on calendars (profile_id) where profile_id is not null',
];
