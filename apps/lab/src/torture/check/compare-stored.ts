import type { Stored } from '../deployments/deployment.ts';
import type { Ledger } from '../ledger/ledger.ts';
import { hold } from '../violation.ts';
import type { Rows } from './rows.ts';

/**
 * Compares the storage with the rows of all workspaces, after a garbage collection and while no process runs. The
 * storage must contain the object of each active item, with the bytes that were sent, the object of each item in the
 * trash, and the bytes of each upload for a waiting item. It may also contain objects and uploads whose deletion is
 * recorded, uploads for items that no longer exist, previews of active items, and a trash of its own, into which
 * garbage collections move objects. That trash must contain no object of an existing item. Anything else is a
 * violation.
 *
 * @throws Violation
 */
export function compareStored(
  ledger: Ledger,
  { media, trashed, tickets, deleted }: Rows,
  { objects, uploads, pieces, trash, previews, others }: Stored,
): void {
  const named = new Map(media.filter(({ status }) => status === 'active').map((row) => [row.fullName, row]));
  for (const [fullName, row] of named) {
    const sent = (row.coverOf === null && ledger.media.get(row.stem)?.bytes?.sha256) || row.sha256;
    const found = objects.get(fullName);
    hold(found !== undefined, 'A row names an object that is not there.', { row });
    hold(found === sent, 'The bytes of an object are not those that were sent.', {
      row,
      found,
    });
  }
  const restorable = new Map(trashed.map((row) => [row.fullName, row]));
  for (const [fullName, row] of restorable) {
    const found = objects.get(fullName);
    const isWhole = found !== undefined && (row.sha256 === null || row.sha256 === found);
    hold(isWhole, 'An item in the trash lacks its object, or has another.', { row, found });
  }
  const orphans = [...objects.keys()].filter((key) => !named.has(key) && !restorable.has(key) && !deleted.has(key));
  hold(orphans.length === 0, 'Objects are left that no row names.', { orphans });
  const misplaced = trash.filter((key) => named.has(key) || restorable.has(key));
  hold(misplaced.length === 0, 'An object that a row names lies in the trash.', { misplaced });
  const active = new Set([...named.values()].map(({ id }) => id));
  const stray = previews.filter((id) => !active.has(id));
  hold(stray.length === 0, 'Previews are left whose item is gone.', { stray });
  hold(others.length === 0, 'Something is left that is no object.', { others });
  compareUploads(ledger, { media, tickets, deleted }, { uploads, pieces });
}

function compareUploads(
  ledger: Ledger,
  { media, tickets, deleted }: Pick<Rows, 'media' | 'tickets' | 'deleted'>,
  { uploads, pieces }: Pick<Stored, 'uploads' | 'pieces'>,
): void {
  const waiting = new Set(tickets.map(({ mediaId }) => mediaId));
  const known = new Set(media.map(({ id }) => id));
  const left = [...uploads.keys(), ...pieces].filter((id) => known.has(id) && !waiting.has(id) && !deleted.has(id));
  hold(left.length === 0, 'Uploads are left that no item waits for.', { left });
  for (const { id, stem } of media) {
    if (!waiting.has(id)) continue;
    const record = ledger.media.get(stem);
    if (record?.source === 'resumable') {
      const isThere = record.transfer.acknowledged === 0 || pieces.has(id);
      hold(isThere, 'Acknowledged bytes of an upload are lost.', { id, stem });
      continue;
    }
    const found = uploads.get(id);
    if (found === undefined) hold(record?.sent.allows(false) ?? true, 'An acknowledged upload is lost.', { id, stem });
    else hold(found === record?.content.sha256, 'The bytes of an upload are not those that were sent.', { id, stem });
  }
}

/**
 * Compares previews with the active images when all jobs have ended. All images can be decoded, so each must have a
 * preview that was made and stored, unless the job for its preview was interrupted too often.
 *
 * @throws Violation
 */
export function comparePreviews({ media, jobs, previews }: Rows, stored: Stored['previews']): void {
  const images = media.filter(({ status, type }) => status === 'active' && type?.startsWith('image/'));
  const excused = new Set(jobs.filter(({ kind }) => kind === 'preview').map(({ subject }) => subject));
  const kept = new Set(stored);
  for (const row of images) {
    if (excused.has(row.id)) continue;
    const preview = previews.get(row.id);
    hold(preview?.isMade === true && !preview.hasFailed, 'An image has no previews.', { row, preview });
    hold(kept.has(row.id), 'Previews that were made are not there.', { row, preview });
  }
}
