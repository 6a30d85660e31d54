import { type Kysely, sql, type Transaction } from 'kysely';
import { DEFAULT_MIGRATION_TABLE, type Migration, Migrator } from 'kysely/migration';
import type { MigrationState } from '../store/database.ts';
import { UnusableDatabase } from '../store/errors.ts';
import { OWN_TABLES } from '../store/tables.ts';
import { isFormer, isFormerName, unfinishedFormer } from './former.ts';

/** `upFromFormer` converts the schema that {@link FORMER_MIGRATIONS} made to the schema that `up` makes. */
export type Migrations = Readonly<Record<string, Migration & { upFromFormer?: Migration['up'] }>>;

/**
 * Runs the migrations that the database lacks, all or none of them.
 *
 * @param transaction a transaction during which no other process can migrate
 * @param schema the schema of the tables, in a database that has several schemas
 * @param mayShare whether a database with another program's tables may become a library
 * @returns the names of the migrations that were run, in order
 * @throws UnusableDatabase when the database is newer or too old for this program, or belongs to another program;
 *   whatever a migration throws
 */
export async function migrate<Tables>(
  transaction: Transaction<Tables>,
  migrations: Migrations,
  schema?: string,
  mayShare = false,
): Promise<readonly string[]> {
  const tables = await tablesOf(transaction, schema);
  const run = await usableHistory(transaction, migrations, schema);
  // This check avoids the migrator, which would read the whole schema several times.
  if (Object.keys(migrations).every((name) => run.has(name))) return [];
  if (run.size === 0) refuseOthers(tables, mayShare);
  const adopted = isFormer(run) ? [await adoptFormer(transaction, migrations, schema)] : [];
  const migrator = new Migrator({
    db: transaction,
    provider: { getMigrations: async () => ({ ...migrations }) },
    ...(schema !== undefined && { migrationTableSchema: schema }),
  });
  const { error, results = [] } = await migrator.migrateToLatest();
  if (error !== undefined) throw error;
  if ((await tablesOf(transaction, schema)).includes(NOTES)) {
    // Migrations emit no events, so the changes that triggers have noted are deleted.
    await sql`delete from ${inSchema(NOTES, schema)}`.execute(transaction);
  }
  return [...adopted, ...results.map((result) => result.migrationName)];
}

const NOTES = 'resource_changes';

const inSchema = (table: string, schema?: string) => (schema === undefined ? sql.table(table) : sql.id(schema, table));

/** Converts a library of the former migrations to the baseline, and returns the baseline's name. */
async function adoptFormer<Tables>(
  transaction: Transaction<Tables>,
  migrations: Migrations,
  schema?: string,
): Promise<string> {
  for (const [name, { upFromFormer }] of Object.entries(migrations)) {
    if (upFromFormer === undefined) continue;
    await upFromFormer(transaction);
    const table = inSchema(DEFAULT_MIGRATION_TABLE, schema);
    await sql`delete from ${table}`.execute(transaction);
    await sql`insert into ${table} (name, timestamp) values (${name}, ${new Date().toISOString()})`.execute(
      transaction,
    );
    return name;
  }
  throw new Error('No migration replaces the former ones.');
}

/** @throws UnusableDatabase when the database is newer or too old for this program */
export async function migrationState<Tables>(
  database: Kysely<Tables>,
  migrations: Migrations,
  schema?: string,
): Promise<MigrationState> {
  const run = await usableHistory(database, migrations, schema);
  return { isNew: run.size === 0, pending: Object.keys(migrations).filter((name) => !run.has(name)) };
}

/** Returns the migrations that have not run; those of a newer program are ignored. */
export async function pendingMigrations<Tables>(
  database: Kysely<Tables>,
  migrations: Migrations,
  schema?: string,
): Promise<readonly string[]> {
  const run = await migrationsRun(database, schema);
  return Object.keys(migrations).filter((name) => !run.has(name));
}

/**
 * Returns the names of the migrations that have run.
 *
 * @throws UnusableDatabase if some of them belong to another program, or to a newer or too old version of this program
 */
async function usableHistory<Tables>(
  database: Kysely<Tables>,
  migrations: Migrations,
  schema?: string,
): Promise<ReadonlySet<string>> {
  const run = await migrationsRun(database, schema);
  const unfinished = isFormer(run) ? unfinishedFormer(run) : null;
  if (unfinished !== null) throw new UnusableDatabase(`The database ${unfinished}`);
  const unknown = [...run].filter((name) => !Object.hasOwn(migrations, name) && !(isFormer(run) && isFormerName(name)));
  if (unknown.length === 0) return run;
  if (unknown.length === run.size) {
    throw new UnusableDatabase(
      `The database belongs to another program (its ${DEFAULT_MIGRATION_TABLE} begins with ${unknown[0]}): ${OF_ITS_OWN}`,
    );
  }
  throw new UnusableDatabase(
    `The database was made by a newer Postshelf (this one does not know its migration ${unknown.join(', ')}): upgrade the program or restore a backup`,
  );
}

const OF_ITS_OWN = 'give Postshelf a database of its own';

/**
 * Refuses a database that contains another program's tables; with `mayShare`, refuses it only if one of them has the
 * same name as a table of Postshelf.
 */
function refuseOthers(tables: readonly string[], mayShare: boolean): void {
  const taken = tables.filter((name) => OWN_TABLES.includes(name));
  const others = tables.filter((name) => !name.startsWith(DEFAULT_MIGRATION_TABLE));
  if (taken.length === 0 && !mayShare && others.length > 0) {
    throw new UnusableDatabase(
      `The database has tables of another program (${others.slice(0, 3).join(', ')}): ${OF_ITS_OWN}, or run "postshelf migrate --into-shared-database" to share it`,
    );
  }
  if (taken.length === 0) return;
  throw new UnusableDatabase(
    `The database has tables of another program (${taken.join(', ')}), whose names Postshelf needs: ${OF_ITS_OWN}`,
  );
}

async function migrationsRun<Tables>(database: Kysely<Tables>, schema?: string): Promise<ReadonlySet<string>> {
  if (!(await tablesOf(database, schema)).includes(DEFAULT_MIGRATION_TABLE)) return new Set();
  const table = inSchema(DEFAULT_MIGRATION_TABLE, schema);
  const { rows } = await sql<{ name: string }>`select name from ${table} order by name`.execute(database);
  return new Set(rows.map((row) => row.name));
}

async function tablesOf<Tables>(database: Kysely<Tables>, schema?: string): Promise<readonly string[]> {
  const tables = await database.introspection.getTables({ withInternalKyselyTables: true });
  return tables.filter((table) => schema === undefined || table.schema === schema).map((table) => table.name);
}
