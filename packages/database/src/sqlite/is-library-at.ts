import { stat } from 'node:fs/promises';
import { resolve } from 'node:path';
import { DEFAULT_MIGRATION_TABLE } from 'kysely/migration';
import { cannotOpen, Sqlite } from './connection/native.ts';
import { requireWritableFile } from './writable.ts';

/**
 * Whether the path holds a library's database. Creates and changes nothing.
 *
 * @throws UnusableDatabase when the file isn't an SQLite database, or can't be read and written
 */
export async function isLibraryAt(path: string, busyTimeoutMs = 5000): Promise<boolean> {
  const file = resolve(path);
  try {
    if ((await sizeOf(file)) === 0) return false;
    await requireWritableFile(file);
    const database = new Sqlite(file, { fileMustExist: true, timeout: busyTimeoutMs });
    try {
      const query = 'select 1 from sqlite_schema where type = ? and name = ?';
      return database.prepare(query).get('table', DEFAULT_MIGRATION_TABLE) !== undefined;
    } finally {
      database.close();
    }
  } catch (cause) {
    throw cannotOpen(file, cause);
  }
}

async function sizeOf(file: string): Promise<number> {
  try {
    return (await stat(file)).size;
  } catch (error) {
    if (error instanceof Error && 'code' in error && (error.code === 'ENOENT' || error.code === 'ENOTDIR')) return 0;
    throw error;
  }
}
