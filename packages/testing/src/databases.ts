import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

interface Openable {
  migrate(): Promise<unknown>;
  close(): Promise<void>;
}

/** Databases in files that exist for one test, or for one file of tests. */
export interface TestDatabases<Database> {
  /** Opens the database in the given file. By default, opens a new database, which is migrated and empty. */
  open(file?: string): Promise<Database>;
  /** Returns a path at which no file exists. */
  freePath(): string;
  /**
   * Registers a function that {@link closeAll} calls once, before anything else. It ends work that would otherwise use
   * a closed database.
   */
  beforeClose(end: () => Promise<void>): void;
  /** Closes all open databases and removes all files: `afterEach(databases.closeAll)`. */
  closeAll(): Promise<void>;
}

/**
 * The folder for databases of tests: a file system in memory if there is one, because commits don't wait for a disk
 * there.
 */
export const SCRATCH = existsSync('/dev/shm') ? '/dev/shm' : tmpdir();

/**
 * Makes databases for tests by copying one that was migrated once, which is quicker than migrating each.
 *
 * @param open opens a database in a file, which is created if it is missing
 */
export function testDatabases<Database extends Openable>(
  open: (file: string) => Promise<Database>,
): TestDatabases<Database> {
  let count = 0;
  let folder: string | null = null;
  let empty: Promise<Uint8Array> | null = null;
  const opened = new Set<Database>();
  const ends: (() => Promise<void>)[] = [];

  function freePath(): string {
    folder ??= mkdtempSync(join(SCRATCH, 'postshelf-test-'));
    count += 1;
    return join(folder, `${count}.db`);
  }

  async function makeEmpty(): Promise<Uint8Array> {
    const file = freePath();
    const database = await open(file);
    await database.migrate();
    await database.close();
    return readFileSync(file);
  }

  async function copyEmpty(): Promise<string> {
    empty ??= makeEmpty();
    const bytes = await empty;
    const file = freePath();
    writeFileSync(file, bytes);
    return file;
  }

  return {
    freePath,
    async open(file) {
      const database = await open(file ?? (await copyEmpty()));
      opened.add(database);
      return database;
    },
    beforeClose(end) {
      ends.push(end);
    },
    async closeAll() {
      await Promise.all(ends.splice(0).map((end) => end()));
      const all = [...opened];
      opened.clear();
      await Promise.all(all.map((database) => database.close()));
      if (folder !== null) rmSync(folder, { recursive: true });
      folder = null;
    },
  };
}
