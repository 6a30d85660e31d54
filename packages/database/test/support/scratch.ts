import { mkdtemp, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { SCRATCH } from '@postshelf/testing/databases';
import { type Database, openSqlite, type SqliteOptions } from '../../src/index.ts';

/** Resolves in the next turn of the event loop. */
export const nextTurn = (): Promise<void> => new Promise((resolve) => setImmediate(resolve));

/** Creates a temporary folder. Returns its path, and a function that removes it. */
export async function scratchFolder(): Promise<{ path: string; remove(): Promise<void> }> {
  const path = await mkdtemp(join(SCRATCH, 'postshelf-database-'));
  return { path, remove: () => rm(path, { recursive: true, force: true }) };
}

/** Runs a test with the path of a database, which doesn't exist yet, in a temporary folder. */
export async function withFile(test: (file: string) => Promise<void>): Promise<void> {
  const folder = await scratchFolder();
  try {
    await test(join(folder.path, 'postshelf.db'));
  } finally {
    await folder.remove();
  }
}

/** Runs a test on an open database, which is migrated unless the options say otherwise. */
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
