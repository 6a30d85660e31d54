import { type Kysely, sql, type Transaction } from 'kysely';
import { DEFAULT_MIGRATION_TABLE, type Migration, Migrator } from 'kysely/migration';
import type { MigrationState } from '../store/database.ts';
import { UnusableDatabase } from '../store/errors.ts';
import { OWN_TABLES } from '../store/tables.ts';

export type Migrations = Readonly<Record<string, Migration>>;

/**
 * Runs the migrations that the database lacks, all or none of them.
 *
 * @param transaction one that no other process can migrate beside
 * @param schema where the tables are, in a database that has several
 * @param mayShare whether a database may become a library that has another program's tables
 * @returns the names of those run, in order
 * @throws UnusableDatabase when it is newer than this program, or another program's; what a migration throws
 */
export async function migrate<Tables>(
  transaction: Transaction<Tables>,
  migrations: Migrations,
  schema?: string,
  mayShare = false,
): Promise<readonly string[]> {
  const tables = await tablesOf(transaction, schema);
  const run = await refuseNewer(transaction, migrations, schema);
  // The migrator would look at the whole schema several times.
  if (Object.keys(migrations).every((name) => run.has(name))) return [];
  if (run.size === 0) refuseOthers(tables, mayShare);
  const migrator = new Migrator({
    db: transaction,
    provider: { getMigrations: async () => ({ ...migrations }) },
    ...(schema !== undefined && { migrationTableSchema: schema }),
  });
  const { error, results = [] } = await migrator.migrateToLatest();
  if (error !== undefined) throw error;
  if ((await tablesOf(transaction, schema)).includes(NOTES)) {
    // Nobody is told of a migration.
    await sql`delete from ${schema === undefined ? sql.table(NOTES) : sql.id(schema, NOTES)}`.execute(transaction);
  }
  return results.map((result) => result.migrationName);
}

const NOTES = 'resource_changes';

/** @throws UnusableDatabase when the database is newer than this program */
export async function migrationState<Tables>(
  database: Kysely<Tables>,
  migrations: Migrations,
  schema?: string,
): Promise<MigrationState> {
  const run = await refuseNewer(database, migrations, schema);
  return { isNew: run.size === 0, pending: Object.keys(migrations).filter((name) => !run.has(name)) };
}

/** Whatever a newer program has run. */
export async function pendingMigrations<Tables>(
  database: Kysely<Tables>,
  migrations: Migrations,
  schema?: string,
): Promise<readonly string[]> {
  const run = await migrationsRun(database, schema);
  return Object.keys(migrations).filter((name) => !run.has(name));
}

/**
 * A program must not work on a schema from its future, nor on another program's.
 *
 * @throws UnusableDatabase
 */
async function refuseNewer<Tables>(
  database: Kysely<Tables>,
  migrations: Migrations,
  schema?: string,
): Promise<ReadonlySet<string>> {
  const run = await migrationsRun(database, schema);
  const unknown = [...run].filter((name) => !Object.hasOwn(migrations, name));
  if (unknown.length === 0) return run;
  if (unknown.length === run.size) {
    throw new UnusableDatabase(
      `The database is another program's (its ${DEFAULT_MIGRATION_TABLE} begins with ${unknown[0]}): ${OF_ITS_OWN}`,
    );
  }
  throw new UnusableDatabase(
    `The database was made by a newer Postshelf (this one does not know its migration ${unknown.join(', ')}): upgrade the program or restore a backup`,
  );
}

const OF_ITS_OWN = 'give Postshelf a database of its own';

/** By default whatever their names. */
function refuseOthers(tables: readonly string[], mayShare: boolean): void {
  const taken = tables.filter((name) => OWN_TABLES.includes(name));
  const others = tables.filter((name) => !name.startsWith(DEFAULT_MIGRATION_TABLE));
  if (taken.length === 0 && !mayShare && others.length > 0) {
    throw new UnusableDatabase(
      `The database has tables of another program (${others.slice(0, 3).join(', ')}): ${OF_ITS_OWN}, or insist by "postshelf migrate --into-shared-database"`,
    );
  }
  if (taken.length === 0) return;
  throw new UnusableDatabase(
    `The database has tables of another program (${taken.join(', ')}), whose names Postshelf needs: ${OF_ITS_OWN}`,
  );
}

async function migrationsRun<Tables>(database: Kysely<Tables>, schema?: string): Promise<ReadonlySet<string>> {
  if (!(await tablesOf(database, schema)).includes(DEFAULT_MIGRATION_TABLE)) return new Set();
  const table = schema === undefined ? sql.table(DEFAULT_MIGRATION_TABLE) : sql.id(schema, DEFAULT_MIGRATION_TABLE);
  const { rows } = await sql<{ name: string }>`select name from ${table} order by name`.execute(database);
  return new Set(rows.map((row) => row.name));
}

async function tablesOf<Tables>(database: Kysely<Tables>, schema?: string): Promise<readonly string[]> {
  const tables = await database.introspection.getTables({ withInternalKyselyTables: true });
  return tables.filter((table) => schema === undefined || table.schema === schema).map((table) => table.name);
}
