import { type Kysely, sql, type Transaction } from 'kysely';
import { DEFAULT_MIGRATION_TABLE, type Migration, Migrator } from 'kysely/migration';
import { type MigrationState, UnusableDatabase } from '../database.ts';

export type Migrations = Readonly<Record<string, Migration>>;

/**
 * Runs the migrations that the database lacks, all or none of them.
 *
 * @param transaction one that no other process can migrate beside
 * @returns the names of those run, in order; none when the schema was current
 * @throws UnusableDatabase when it is newer than this program; what a migration throws that fails
 */
export async function migrate<Tables>(
  transaction: Transaction<Tables>,
  migrations: Migrations,
): Promise<readonly string[]> {
  const run = await refuseNewer(transaction, migrations);
  // The migrator would look at the whole schema several times, on every start.
  if (Object.keys(migrations).every((name) => run.has(name))) return [];
  const migrator = new Migrator({ db: transaction, provider: { getMigrations: async () => ({ ...migrations }) } });
  const { error, results = [] } = await migrator.migrateToLatest();
  if (error !== undefined) throw error;
  return results.map((result) => result.migrationName);
}

/** How far the database has come. @throws UnusableDatabase when it is newer than this program */
export async function migrationState<Tables>(
  database: Kysely<Tables>,
  migrations: Migrations,
): Promise<MigrationState> {
  const run = await refuseNewer(database, migrations);
  return { isNew: run.size === 0, pending: Object.keys(migrations).filter((name) => !run.has(name)) };
}

/** The names of those that it still lacks; what a newer program has run is no matter here. */
export async function pendingMigrations<Tables>(
  database: Kysely<Tables>,
  migrations: Migrations,
): Promise<readonly string[]> {
  const run = await migrationsRun(database);
  return Object.keys(migrations).filter((name) => !run.has(name));
}

/**
 * A program must not work on a schema from its future.
 *
 * @returns the names of the migrations that were run
 * @throws UnusableDatabase
 */
async function refuseNewer<Tables>(database: Kysely<Tables>, migrations: Migrations): Promise<ReadonlySet<string>> {
  const run = await migrationsRun(database);
  const unknown = [...run].filter((name) => !Object.hasOwn(migrations, name));
  if (unknown.length === 0) return run;
  throw new UnusableDatabase(
    `The database was made by a newer Postshelf (this one does not know its migration ${unknown.join(', ')}): upgrade the program or restore a backup`,
  );
}

async function migrationsRun<Tables>(database: Kysely<Tables>): Promise<ReadonlySet<string>> {
  const tables = await database.introspection.getTables({ withInternalKyselyTables: true });
  if (!tables.some((table) => table.name === DEFAULT_MIGRATION_TABLE)) return new Set();
  const { rows } = await sql<{ name: string }>`select name from ${sql.table(DEFAULT_MIGRATION_TABLE)}`.execute(
    database,
  );
  return new Set(rows.map((row) => row.name));
}
