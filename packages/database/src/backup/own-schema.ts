import { BackupError } from '@postshelf/domain';
import type { Database } from 'better-sqlite3';
import { Kysely } from 'kysely';
import { DEFAULT_MIGRATION_TABLE } from 'kysely/migration';
import { isFormer, isFormerName, unfinishedFormer } from '../migrations/former.ts';
import { migrate } from '../migrations/migrate.ts';
import { FORMER_LACKED, FORMER_OBJECTS } from '../migrations/sqlite/baseline/index.ts';
import { SQLITE_MIGRATIONS } from '../migrations/sqlite/index.ts';
import { PreparedSqliteDialect } from '../sqlite/connection/dialect.ts';
import { Sqlite } from '../sqlite/connection/native.ts';

/**
 * Checks that an untrusted database has exactly the tables, indices, triggers and views that this program's migrations
 * create: other triggers and views would be executed when the database is used. Executes nothing from the file.
 *
 * @throws BackupError when the schema differs, is newer or too old, or the file isn't a database
 */
export async function requireOwnSchema(path: string): Promise<void> {
  const found = readSchema(path);
  const names = Object.keys(SQLITE_MIGRATIONS);
  const wasFormer = isFormer(found.migrations);
  const unfinished = wasFormer ? unfinishedFormer(found.migrations) : null;
  if (unfinished !== null) throw new BackupError(`The database in the backup ${unfinished}, then back it up again.`);
  const unknown = [...found.migrations].filter((name) => !names.includes(name) && !(wasFormer && isFormerName(name)));
  if (unknown.length > 0) {
    throw new BackupError(
      `The database was made by a newer Postshelf (this one does not know its migration ${unknown.join(', ')}): restore it with that version.`,
    );
  }
  const run = wasFormer ? names.slice(0, 1) : names.slice(0, found.migrations.size);
  if (run.length === 0 || (!wasFormer && run.some((name) => !found.migrations.has(name)))) {
    throw new BackupError('The database in the backup is not a library: it lacks migrations that every library has.');
  }
  const expected = await schemaAfter(run);
  // These objects are accepted, because the migration to the baseline drops them before they could be executed.
  const ignored: readonly string[] = wasFormer ? FORMER_OBJECTS : [];
  for (const [name, sql] of found.objects) {
    if (ignored.includes(name) || expected.get(name) === sql) continue;
    throw new BackupError(
      `The database in the backup has a ${name} that Postshelf did not create: nothing was restored.`,
    );
  }
  for (const name of expected.keys()) {
    if (found.objects.has(name) || (wasFormer && FORMER_LACKED.includes(name))) continue;
    throw new BackupError(`The database in the backup lacks the ${name}.`);
  }
}

type Schema = ReadonlyMap<string, string>;

function readSchema(path: string): { readonly objects: Schema; readonly migrations: ReadonlySet<string> } {
  const database = new Sqlite(path, { readonly: true });
  try {
    database.pragma('trusted_schema = off');
    const objects = objectsOf(database);
    // Before the table is read, this checks that it is a plain table and not a view.
    const made = objects.get(`table ${DEFAULT_MIGRATION_TABLE}`) ?? '';
    const isThere = made.toLowerCase().startsWith(`${DEFAULT_MIGRATION_TABLE} create table `);
    const rows = isThere ? database.prepare(`select name from ${DEFAULT_MIGRATION_TABLE} limit 1000`).all() : [];
    return { objects, migrations: new Set(rows.map((row) => String((row as { name: unknown }).name))) };
  } catch (cause) {
    if (!(cause instanceof Sqlite.SqliteError)) throw cause;
    throw new BackupError(`The database is damaged: ${cause.message}`, { cause });
  } finally {
    database.close();
  }
}

interface SchemaRow {
  readonly type: string;
  readonly name: string;
  readonly tbl_name: string;
  readonly sql: string | null;
}

/**
 * Describes each object by its table's name and its SQL. The table's name is included, because automatic indices have
 * no SQL.
 */
function objectsOf(database: Database): Schema {
  const rows = database.prepare<[], SchemaRow>('select type, name, tbl_name, sql from sqlite_schema').all();
  return new Map(
    rows.map(({ type, name, tbl_name, sql }) => [`${type} ${name}`, `${tbl_name} ${normalised(sql ?? '')}`]),
  );
}

/**
 * Removes differences that don't matter: white space, because SQLite stores added columns as they were written, and the
 * quotes that SQLite puts around the name of a renamed table.
 */
const normalised = (sql: string): string =>
  sql
    .replace(/^create table "(\w+)"/i, 'CREATE TABLE $1')
    .replace(/\s+/g, ' ')
    .replace(/ ?([(),;]) ?/g, '$1')
    .trim();

async function schemaAfter(run: readonly string[]): Promise<Schema> {
  const memory = new Sqlite(':memory:');
  const kysely = new Kysely<unknown>({ dialect: new PreparedSqliteDialect(memory, 'begin immediate') });
  try {
    const migrations = Object.fromEntries(Object.entries(SQLITE_MIGRATIONS).filter(([name]) => run.includes(name)));
    await kysely.transaction().execute((transaction) => migrate(transaction, migrations));
    return objectsOf(memory);
  } finally {
    await kysely.destroy();
  }
}
