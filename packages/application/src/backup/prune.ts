import type { BackupDestination, BackupOutcome } from '@postshelf/domain';
import { contentsOf } from './existing-backups.ts';

/**
 * Removes the older backups of a place, so that `keep` of that outcome are left: whole ones make room for whole ones alone.
 * Files that are no backups stay, and aren't counted.
 *
 * @param made the one that was just made, which stays whatever its name is
 * @param keep at least 1
 * @param onRemoved hears of the path of each that was removed
 * @throws BackupError when one can't be
 */
export async function prune(
  place: BackupDestination,
  outcome: BackupOutcome,
  made: string | null,
  keep: number,
  onRemoved: (path: string) => void,
): Promise<void> {
  let kept = made === null ? 0 : 1;
  for await (const file of place.existing(outcome)) {
    if (file.path === made || contentsOf(file) === null) continue;
    if (kept < keep) kept += 1;
    else {
      await place.remove(file.path);
      onRemoved(file.path);
    }
  }
}
