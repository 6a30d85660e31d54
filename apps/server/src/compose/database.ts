import { dirname, resolve } from 'node:path';
import { type Database, isLibraryAt, openSqlite, UnusableDatabase } from '@postshelf/database';
import { diskFreeSpace } from '@postshelf/storage';
import { type Config, ConfigError, type DatabaseConfig } from '../config/config.ts';

/** The database lacks a migration. The message states what to do. */
export class MissingMigration extends ConfigError {}

export interface OpenedDatabase {
  readonly database: Database;
  readonly migrated: readonly string[];
}

/** The settings that decide where the database is. */
const SETTINGS = 'DATA_DIR, DATABASE_URL';

/** How an error begins whose cause is that the settings lead to no library. */
export const NO_LIBRARY = `${SETTINGS}: there is no library here`;

export const noDatabase = (place: string): string =>
  `there is no database ${place} (the first start, or postshelf migrate, creates it)`;

/** Opens the database and runs the migrations that it lacks. */
export const openMigrated = ({ database, minFreeDisk }: Config): Promise<OpenedDatabase> =>
  openingDatabase(database, minFreeDisk, async (opened) => ({ database: opened, migrated: await opened.migrate() }));

/** Returns the name of a database that doesn't exist yet or has none of our tables; null if it has our tables. */
export async function placeOfNew(config: DatabaseConfig): Promise<string | null> {
  if (config.kind === 'sqlite') {
    return (await isLibraryAt(config.file).catch(withSettingName())) ? null : `sqlite:${config.file}`;
  }
  return openingDatabase(config, 0, async (database) => {
    const { isNew } = await database.migrations();
    await database.close();
    return isNew ? database.rows.place : null;
  });
}

/** Opens the database. @throws ConfigError if there is no database yet, or it lacks migrations */
export const openCurrent = ({ database, minFreeDisk }: Config): Promise<OpenedDatabase> =>
  openingDatabase(database, minFreeDisk, async (opened) => {
    const { isNew, pending } = await opened.migrations();
    if (isNew) throw new ConfigError(`${NO_LIBRARY}: ${noDatabase(opened.rows.place)}`);
    if (pending.length === 0) return { database: opened, migrated: [] };
    throw new MissingMigration(
      `The database ${opened.rows.place} lacks the migration ${pending.join(', ')}: run postshelf migrate`,
    );
  });

/**
 * Opens a database that may lack migrations, and passes it to `use`. Closes it only if `use` fails.
 *
 * @param minFree bytes that a database file leaves free on its disk
 */
export async function openingDatabase<T>(
  config: DatabaseConfig,
  minFree: number,
  use: (database: Database) => Promise<T>,
): Promise<T> {
  let database: Database | null = null;
  try {
    database = await openConfigured(config, minFree);
    return await use(database);
  } catch (error) {
    await database?.close();
    return withSettingName()(error);
  }
}

/** Opens a database. @param minFree as in {@link openingDatabase} */
export async function openConfigured(config: DatabaseConfig, minFree = 0): Promise<Database> {
  if (config.kind === 'sqlite') {
    return openSqlite(config.file, { space: diskFreeSpace(dirname(resolve(config.file)), minFree) });
  }
  // The client is loaded only when needed, because a service with SQLite needs no PostgreSQL client.
  const { openPostgres } = await import('@postshelf/database/postgres');
  const { url, poolSize, statementTimeout } = config;
  return openPostgres(url, { poolSize, statementTimeoutMs: statementTimeout });
}

/**
 * Opens a database that must exist.
 *
 * @param name the setting or option that names it
 * @throws ConfigError if it doesn't exist
 */
export async function openExisting(name: string, config: DatabaseConfig): Promise<Database> {
  if (config.kind === 'sqlite' && !(await Bun.file(config.file).exists()))
    throw new ConfigError(`${name}: there is no database ${config.file}`);
  return openConfigured(config).catch(withSettingName(name));
}

/**
 * Requires that a database's file exists, because opening the database would create it.
 *
 * @param name how the error begins: a setting, an option, or {@link NO_LIBRARY}
 * @throws ConfigError if it doesn't exist
 */
export async function requireDatabase(name: string, config: DatabaseConfig): Promise<void> {
  if (config.kind !== 'sqlite') return;
  if (await isLibraryAt(config.file).catch(withSettingName(name === NO_LIBRARY ? SETTINGS : name))) return;
  throw new ConfigError(`${name}: ${noDatabase(`sqlite:${config.file}`)}`);
}

/**
 * Returns a function that turns an {@link UnusableDatabase} into a ConfigError, and throws any other error as it is.
 *
 * @param name the setting or option that the message names
 */
export const withSettingName =
  (name?: string) =>
  (error: unknown): never => {
    if (!(error instanceof UnusableDatabase)) throw error;
    throw new ConfigError(name ? `${name}: ${error.message}` : error.message, { cause: error });
  };

/**
 * Whether the program could read the database and found it unusable, for example because the role lacks rights. If the
 * database can't be read, the error has a cause.
 */
export const isJudged = (error: unknown): boolean =>
  error instanceof UnusableDatabase ? error.cause === undefined : error instanceof Error && isJudged(error.cause);

/** Passes a database to `use`, and closes it if `use` fails. */
export async function closingOnFailure<T>(
  opening: Promise<OpenedDatabase>,
  use: (opened: OpenedDatabase) => Promise<T>,
): Promise<T> {
  const opened = await opening;
  try {
    return await use(opened);
  } catch (error) {
    await opened.database.close();
    throw error;
  }
}
