import { sql } from 'kysely';
import { DEFAULT_MIGRATION_TABLE } from 'kysely/migration';
import type { Queries } from '../store/dialect.ts';
import { UnusableDatabase } from '../store/errors.ts';
import { OWN_TABLES } from '../store/tables.ts';
import { type Grantee, grantOfSchema, grantOfTables, nameInSql } from './grant-advice.ts';

export interface WorkingSchema extends Grantee {
  readonly database: string;
  /** Whether the role may create tables. */
  readonly mayMake: boolean;
}

/** Tables of the baseline by which a library is recognised. */
const LIBRARY = ['workspaces', 'folders', 'media', 'tokens', 'token_workspaces'];

/** The table that only PostgreSQL databases have. */
const FURTHER_TABLES = ['event_places'];

interface Found {
  readonly role: string;
  readonly database: string;
  readonly search_path: string;
  /** The schema in which tables are created; null if the role may use no schema of the search path. */
  readonly schema: string | null;
  readonly may_make: boolean | null;
  readonly visible: string | null;
  readonly libraries: readonly string[];
}

/**
 * Finds the schema in which this role works. Without this check, a changed search path would hide the existing library,
 * and a second one would be created.
 *
 * @throws UnusableDatabase when a library is in another schema, or the search path names no usable schema
 */
export async function requireSchema(queries: Queries): Promise<WorkingSchema> {
  const { role, database, schema, visible, libraries, ...found } = await readSchemas(queries);
  const path = `the search_path of the role ${role} (${found.search_path})`;
  const setPath = (to: string): string =>
    `ALTER ROLE ${nameInSql(role)} IN DATABASE ${nameInSql(database)} SET search_path = ${nameInSql(to)}`;
  const [library] = libraries;
  if (schema === null) {
    const name = library ?? 'public';
    throw new UnusableDatabase(
      `${upper(path)} names no schema that it may use: GRANT CREATE, USAGE ON SCHEMA ${nameInSql(name)} TO ${nameInSql(role)}, or ${setPath(name)}`,
    );
  }
  const isHere = libraries.includes(schema) || visible === schema;
  if (!isHere && library !== undefined) {
    throw new UnusableDatabase(
      `The library is in the schema ${library}, but ${path} selects ${schema}: ${setPath(library)}; a second library needs a database of its own`,
    );
  }
  return { role, database, schema, mayMake: found.may_make === true };
}

async function readSchemas(queries: Queries): Promise<Found> {
  const tables = [DEFAULT_MIGRATION_TABLE, ...LIBRARY];
  const { rows } = await sql<Found>`
    select
      current_user::text as role,
      current_database()::text as database,
      current_setting('search_path') as search_path,
      current_schema()::text as schema,
      has_schema_privilege(current_schema(), 'CREATE') as may_make,
      (
        select namespace.nspname::text from pg_catalog.pg_class as class
        join pg_catalog.pg_namespace as namespace on namespace.oid = class.relnamespace
        where class.oid = to_regclass(${DEFAULT_MIGRATION_TABLE})
      ) as visible,
      array(
        select namespace.nspname::text from pg_catalog.pg_class as class
        join pg_catalog.pg_namespace as namespace on namespace.oid = class.relnamespace
        where class.relname = any (${tables}::text[]) and class.relkind in ('r', 'p')
        group by namespace.nspname having count(*) = ${tables.length}
        order by namespace.nspname
      ) as libraries`.execute(queries);
  const [found] = rows;
  if (!found) throw new Error('PostgreSQL returned no row about the connection.');
  return found;
}

/** @throws UnusableDatabase with the statement that grants the right */
export function requireCreateRight(place: WorkingSchema): void {
  if (place.mayMake) return;
  throw new UnusableDatabase(
    `The role ${place.role} is not allowed to create tables in the schema ${place.schema} (SQLSTATE 42501); run as its owner: ${grantOfSchema(place)}`,
  );
}

const upper = (text: string): string => text.charAt(0).toUpperCase() + text.slice(1);

/**
 * Checks, without writing, that the role has the rights that the service needs.
 *
 * @throws UnusableDatabase that names the missing rights, and the statement that grants them
 */
export async function requireRights(queries: Queries, place: WorkingSchema): Promise<void> {
  const { rows } = await sql<{ right: string; tables: readonly string[] }>`
    select wanted.name as right, array_agg(class.relname::text order by class.relname) as tables
    from pg_catalog.pg_class as class
    join pg_catalog.pg_namespace as namespace on namespace.oid = class.relnamespace
    cross join unnest(array['SELECT', 'INSERT', 'UPDATE', 'DELETE']) with ordinality as wanted (name, position)
    where namespace.nspname = ${place.schema} and class.relname = any (${[...OWN_TABLES, ...FURTHER_TABLES]}::text[])
      and not has_table_privilege(class.oid, wanted.name)
    group by wanted.name, wanted.position order by wanted.position`.execute(queries);
  if (rows.length === 0) return;
  const lacking = rows.map(({ right, tables }) => `${right} on ${tables.join(', ')}`).join('; ');
  throw new UnusableDatabase(
    `The role ${place.role} lacks rights (SQLSTATE 42501: ${lacking}); run as their owner: ${grantOfTables(place)}`,
  );
}
