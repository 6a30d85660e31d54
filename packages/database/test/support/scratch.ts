import { mkdtemp, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { SCRATCH } from '@postshelf/testing/databases';
import { type Database, openSqlite, type SqliteOptions } from '../../src/index.ts';

/** Resolves behind what the event loop does in this turn. */
export const nextTurn = (): Promise<void> => new Promise((resolve) => setImmediate(resolve));

/** A folder of a test's own, and how to be rid of it. */
export async function scratchFolder(): Promise<{ path: string; remove(): Promise<void> }> {
  const path = await mkdtemp(join(SCRATCH, 'postshelf-database-'));
  return { path, remove: () => rm(path, { recursive: true, force: true }) };
}

/** Runs a test with the path of a database that isn't there yet, in a folder of its own. */
export async function withFile(test: (file: string) => Promise<void>): Promise<void> {
  const folder = await scratchFolder();
  try {
    await test(join(folder.path, 'postshelf.db'));
  } finally {
    await folder.remove();
  }
}

/** Runs a test on a database that is open, and migrated unless it is said otherwise. */
export const withDatabase = (
  test: (database: Database, file: string) => Promise<void>,
  { migrated = true, ...options }: SqliteOptions & { migrated?: boolean } = {},
): Promise<void> =>
  withFile(async (file) => {
    const database = await openSqlite(file, options);
    try {
      if (migrated) await database.migrate();
      await test(database, file);
    } finally {
      await database.close();
    }
  });
