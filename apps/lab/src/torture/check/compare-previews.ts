import type { Stored } from '../deployments/deployment.ts';
import { hold } from '../violation.ts';
import type { Rows } from './rows.ts';

/**
 * Compares previews with the existing images when no job is left: each was made and is stored, as all of them can be
 * decoded, unless its job was interrupted too often.
 *
 * @throws Violation
 */
export function comparePreviews({ media, jobs, previews }: Rows, stored: Stored['previews']): void {
  const pictures = media.filter(({ status, type }) => status === 'active' && type?.startsWith('image/'));
  const excused = new Set(jobs.filter(({ kind }) => kind === 'preview').map(({ subject }) => subject));
  const kept = new Set(stored);
  for (const row of pictures) {
    if (excused.has(row.id)) continue;
    const preview = previews.get(row.id);
    hold(preview?.isMade === true && !preview.hasFailed, 'A picture has no previews.', { row, preview });
    hold(kept.has(row.id), 'Previews that were made are not there.', { row, preview });
  }
}
