import { stat } from 'node:fs/promises';
import { resolve } from 'node:path';
import { DEFAULT_MIGRATION_TABLE } from 'kysely/migration';
import { cannotOpen, Sqlite } from './native.ts';
import { requireWritableFile } from './writable.ts';

/**
 * Whether there is a library's database at the path, rather than nothing, an empty file or another program's database.
 * Makes and changes nothing.
 *
 * @throws UnusableDatabase when the file is no SQLite database, or can't be read and written to
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

/** Bytes; 0 where there is no file. */
async function sizeOf(file: string): Promise<number> {
  try {
    return (await stat(file)).size;
  } catch (error) {
    if (error instanceof Error && 'code' in error && (error.code === 'ENOENT' || error.code === 'ENOTDIR')) return 0;
    throw error;
  }
}
