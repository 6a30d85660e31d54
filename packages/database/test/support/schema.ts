import { type RawBuilder, sql } from 'kysely';
import type { Queries } from '../../src/store/dialect.ts';

interface Described {
  readonly object: string;
}

/**
 * Queries for all objects of a schema except the migrations' own tables, with one row per object. Names of checks are
 * left out, because PostgreSQL numbers checks in the order in which they were added. Parentheses are left out, because
 * a dump and restore changes how PostgreSQL nests them.
 */
const QUERIES: Readonly<Record<string, RawBuilder<Described>>> = {
  SQLite: sql`select type || ' ' || name || ' on ' || tbl_name || ': ' || coalesce(sql, '') as object
    from sqlite_schema where tbl_name not like 'kysely%'`,
  PostgreSQL: sql`
    select 'column ' || table_name || '.' || column_name || ': ' || concat_ws(' ', ordinal_position, data_type, is_nullable,
      column_default, collation_name, is_identity) as object
      from information_schema.columns where table_schema = 'public' and table_name not like 'kysely%'
    union all select 'table ' || relname || ': ' || coalesce(reloptions::text, '') from pg_class
      where relkind = 'r' and relnamespace = 'public'::regnamespace and relname not like 'kysely%'
    union all select 'constraint of ' || conrelid::regclass || ': ' || pg_get_constraintdef(oid)
      from pg_constraint where connamespace = 'public'::regnamespace and conrelid <> 0
      and conrelid::regclass::text not like 'kysely%'
    union all select indexdef from pg_indexes where schemaname = 'public' and tablename not like 'kysely%'
    union all select translate(pg_get_triggerdef(oid), '()', '') from pg_trigger where not tgisinternal
    union all select 'function ' || proname || ': ' || prosrc from pg_proc where pronamespace = 'public'::regnamespace`,
};

/**
 * Returns the objects of a database's schema, sorted. Differences that only come from the layout of the statements are
 * removed.
 */
export async function schemaOf(dialect: string, queries: Queries): Promise<readonly string[]> {
  const query = QUERIES[dialect];
  if (query === undefined) throw new Error(`There is no query for the schema of ${dialect}.`);
  const { rows } = await query.execute(queries);
  const plain = (text: string): string =>
    text
      .replace(/CREATE TABLE "(\w+)"/i, 'CREATE TABLE $1')
      .replace(/\s+/g, ' ')
      .replace(/ ?([(),;]) ?/g, '$1');
  return rows.map(({ object }) => plain(object)).sort();
}
