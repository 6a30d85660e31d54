import { type Kysely, sql } from 'kysely';

/**
 * Search keys have tags and alt text too, and then end with a line break. `media_search_due`: items whose key lacks
 * some: those of before, and what processes of an earlier version write, which know the name and the label alone. They
 * change an item's tags after its key.
 */
export async function up(db: Kysely<unknown>): Promise<void> {
  for (const statement of STATEMENTS) await sql.raw(statement).execute(db);
}

const STATEMENTS = [
  `create table media_search_due (
    media_id uuid primary key references media (id) on delete cascade
  )`,
  `insert into media_search_due
    select id from media where alt_text is not null union select media_id from media_tags`,
  `create function media_search_due() returns trigger language plpgsql as $$
    begin
      if new.alt_text is not null or exists (select 1 from media_tags where media_id = new.id) then
        insert into media_search_due values (new.id) on conflict do nothing;
      end if;
      return null;
    end
  $$`,
  `create trigger media_search_due_insert after insert on media
    for each row when (new.alt_text is not null and right(new.search_key, 1) <> E'\\n')
    execute function media_search_due()`,
  `create trigger media_search_due_change after update of search_key on media
    for each row when (right(new.search_key, 1) <> E'\\n') execute function media_search_due()`,
  `create function media_search_due_tag() returns trigger language plpgsql as $$
    begin
      insert into media_search_due
      select id from media
      where id = new.media_id and strpos(search_key, E'\\n' || new.tag_key || E'\\n') = 0
      on conflict do nothing;
      return null;
    end
  $$`,
  `create trigger media_search_due_tag after insert on media_tags
    for each row execute function media_search_due_tag()`,
];
