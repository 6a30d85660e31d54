import { type Kysely, sql } from 'kysely';

/**
 * Search keys have tags and alt text too, and then end with a line break. `media_search_due`: items whose key lacks
 * some: those of before, and what processes of an earlier version write, which know the name and the label alone. They
 * change an item's tags after its key.
 */
export async function up(db: Kysely<unknown>): Promise<void> {
  for (const statement of STATEMENTS) await sql.raw(statement).execute(db);
}

const LACKS_WORDS = 'substr(new.search_key, -1) <> char(10)';

const STATEMENTS = [
  `create table media_search_due (
    media_id text primary key references media (id) on delete cascade
  ) strict, without rowid`,
  `insert into media_search_due
    select id from media where alt_text is not null union select media_id from media_tags`,
  `create trigger media_search_due_insert after insert on media
    when new.alt_text is not null and ${LACKS_WORDS} begin
      insert or ignore into media_search_due values (new.id);
    end`,
  `create trigger media_search_due_change after update of search_key on media
    when ${LACKS_WORDS}
      and (new.alt_text is not null or exists (select 1 from media_tags where media_id = new.id)) begin
      insert or ignore into media_search_due values (new.id);
    end`,
  `create trigger media_search_due_tag after insert on media_tags
    when instr((select search_key from media where id = new.media_id), char(10) || new.tag_key || char(10)) = 0 begin
      insert or ignore into media_search_due values (new.media_id);
    end`,
];
