import { type Kysely, sql } from 'kysely';

/**
 * What is kept about a file beyond what every answer shows (`details`, a JSON object, null until somebody has looked), the text
 * that stands for a picture, and tags: of an item they differ in `tag_key`, the tag with upper and lower case the same. The triggers
 * keep a tag to its item and the item's workspace; covers have none. Details are text, as a copy compares what it has written.
 */
export async function up(db: Kysely<unknown>): Promise<void> {
  for (const statement of STATEMENTS) await sql.raw(statement).execute(db);
}

const STATEMENTS = [
  `alter table media add column details text
    check (details is null or (status = 'active' and json_typeof(details::json) = 'object'))`,
  `alter table media add column alt_text text`,
  // Files with the same bytes. Only active items have a hash.
  `create index media_hashes on media (workspace_id, sha256) where sha256 is not null and cover_of is null`,
  // What is still to be looked at: empty but after an upgrade, so it costs new items nothing.
  `create index media_unexamined on media (id) where status = 'active' and (details is null or sha256 is null)`,

  `create table media_tags (
    media_id uuid not null references media (id) on delete cascade,
    position integer not null check (position >= 0),
    workspace_id uuid not null,
    tag text not null,
    tag_key text collate "C" not null,
    primary key (media_id, position),
    unique (media_id, tag_key)
  )`,
  `create index media_tags_of_workspaces on media_tags (workspace_id, tag_key, media_id)`,

  `create function media_tags_begin() returns trigger language plpgsql as $$
    begin
      if not exists (
        select 1 from media where id = new.media_id and workspace_id = new.workspace_id and cover_of is null
      ) then
        raise exception 'a tag is on an item of its workspace' using errcode = 'check_violation';
      end if;
      return new;
    end
  $$`,
  `create trigger media_tags_begin before insert on media_tags
    for each row execute function media_tags_begin()`,
  `create function media_tags_keys() returns trigger language plpgsql as $$
    begin
      raise exception 'a tag stays with its item' using errcode = 'check_violation';
    end
  $$`,
  `create trigger media_tags_keys before update of media_id, workspace_id on media_tags
    for each row when ((new.media_id, new.workspace_id) is distinct from (old.media_id, old.workspace_id))
    execute function media_tags_keys()`,
];
