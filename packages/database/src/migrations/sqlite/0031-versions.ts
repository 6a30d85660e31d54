import { type Kysely, sql } from 'kysely';

/**
 * How often what a resource shows has changed. Writes raise `version` themselves, as they answer with it; a trigger does
 * for those of programs from before.
 */
export async function up(db: Kysely<unknown>): Promise<void> {
  for (const statement of STATEMENTS) await sql.raw(statement).execute(db);
}

/** With what isn't shown left out. */
const SHOWN = {
  media:
    'folder_id, name, full_name, label, alt_text, status, type, size, sha256, width, height, time, error_message, details, updated_at',
  folders: 'parent_id, name, is_system, updated_at',
  posts: 'external_id, published_at, text, impressions, likes, comments, shares, saves, clicks, updated_at',
  profiles: 'name, network, updated_at',
};

const STATEMENTS = Object.entries(SHOWN).flatMap(([table, columns]) => [
  `alter table ${table} add column version integer not null default 1`,
  `create trigger ${table}_version after update of ${columns} on ${table} when new.version <= old.version begin
    update ${table} set version = old.version + 1 where id = new.id;
  end`,
]);
