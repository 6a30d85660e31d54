import type { BackupDestination, BackupOutcome } from '@postshelf/domain';
import { contentsOf } from './existing-backups.ts';

/**
 * Removes older backups at a destination until `keep` backups with the same outcome are left. Other files stay.
 *
 * @param made the backup that was just made, which stays
 * @param keep at least 1
 * @throws BackupError if a backup can't be removed
 */
export async function pruneBackups(
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
