import { lstat, readdir, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { GONE, withFallback } from '../filesystem/disk/failures.ts';
import { asBackupError } from './failures.ts';

const HOUR = 60 * 60 * 1000;

/**
 * Milliseconds without a write after which a leftover counts as abandoned. A running backup writes to its `partial`
 * file all the time. It only reads its `copy` of the database, which may take days.
 */
const UNUSED: Readonly<Record<string, number>> = { partial: 24 * HOUR, copy: 7 * 24 * HOUR };

/** Matches `library.tar.<UUID>.partial`, and the companions that SQLite gives a copy; captures the backup's name. */
const LEFTOVER = /^(.*)\.[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}\.(partial|copy)(?:-wal|-shm|-journal)?$/s;

/**
 * Removes files that killed backups left in a folder.
 *
 * @param isOurs whether the leftovers of a backup file with this name belong to the destination
 * @throws BackupError when the folder can't be read or a file can't be removed
 */
export async function removeLeftovers(folder: string, isOurs: (name: string) => boolean): Promise<void> {
  await asBackupError(`${folder} cannot be written`, async () => {
    for (const name of await readdir(folder)) {
      const [, owner = '', kind = ''] = LEFTOVER.exec(name) ?? [];
      const unused = UNUSED[kind];
      if (unused === undefined || !isOurs(owner)) continue;
      const found = await withFallback(GONE, lstat(join(folder, name)), null);
      if (found?.isFile() && found.mtimeMs < Date.now() - unused) await rm(join(folder, name), { force: true });
    }
  });
}
