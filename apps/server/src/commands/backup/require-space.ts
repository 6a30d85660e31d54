import { readdir, stat, statfs } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { BackupError } from '@postshelf/domain';
import type { Config } from '../../config/config.ts';
import { megabytes } from '../progress.ts';

/**
 * Checks that the disk of `DATA_DIR` has room for a backup's files, about as much as the backup. A pipe's size isn't
 * known, and a bucket's media aren't on this disk.
 *
 * @throws BackupError that says how much is missing
 */
export async function requireSpace(backup: string, { dataDir, minFreeDisk, s3 }: Config): Promise<void> {
  const found = await stat(backup).catch(() => null);
  const media = await readdir(join(dataDir, 'media')).catch(() => []);
  // Beside media that are there already it takes less.
  if (!found?.isFile() || s3 !== null || media.length > 0) return;
  const place = await existing(dataDir);
  const { bavail, bsize } = await statfs(place);
  const free = bavail * bsize;
  const missing = found.size + minFreeDisk - free;
  if (missing <= 0) return;
  const reserve = `${megabytes(minFreeDisk)} must stay free (MIN_FREE_DISK_MB)`;
  throw new BackupError(
    `Restoring ${backup} to ${dataDir} needs ${megabytes(found.size)}, and ${reserve}, but only ${megabytes(free)} are free there: free another ${megabytes(missing)}, lower MIN_FREE_DISK_MB, or give a DATA_DIR on another disk.`,
  );
}

async function existing(path: string): Promise<string> {
  return stat(path).then(
    () => path,
    () => existing(dirname(path)),
  );
}
