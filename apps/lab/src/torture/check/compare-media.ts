import { type Ledger, type MediaRecord, placeOf } from '../ledger/ledger.ts';
import { hold } from '../violation.ts';
import type { MediaRow, Rows } from './rows.ts';

/**
 * Compares the rows of media with the requests. No client sends requests in the meantime, but a worker may still run
 * imports. Acknowledged writes and deletions must have persisted, each unacknowledged request must have taken effect
 * completely or not at all, and no item may be in an intermediate state. Records the outcomes of unacknowledged writes.
 *
 * @throws Violation
 */
export function compareMedia(ledger: Ledger, rows: Rows): void {
  const items = new Map<string, MediaRow>();
  for (const row of rows.media) {
    if (row.coverOf !== null) continue;
    const { stem } = row;
    hold(!ledger.deleted.has(stem), 'A deleted item is back, or one that was never stored has come later.', { row });
    hold(ledger.media.has(stem), 'An item is there that nobody asked for.', { row });
    hold(!items.has(stem), 'An item is there twice.', { row });
    items.set(stem, row);
  }
  for (const record of ledger.media.values()) requireWhole(record, items);
  for (const record of [...ledger.media.values()]) compare(ledger, record, items.get(record.stem));
  compareCovers(ledger, rows);
  for (const record of [...ledger.media.values()]) if (record.exists.is(false)) ledger.forget(record);
}

/** Checks that a request without an answer has stored all of its files, or none. */
function requireWhole({ group }: MediaRecord, items: ReadonlyMap<string, MediaRow>): void {
  if (group.isDecided) return;
  const isOpen = group.records.every(({ id }) => id === null);
  const there = group.records.filter(({ stem }) => items.has(stem)).length;
  hold(!isOpen || there === 0 || there === group.records.length, 'A request was stored in part.', {
    stems: group.records.map(({ stem }) => stem),
    there,
  });
  group.isDecided = true;
}

function compare(ledger: Ledger, record: MediaRecord, row: MediaRow | undefined): void {
  const { stem, exists, place, bytes, source } = record;
  const facts = { stem, id: record.id, row };
  if (!row) {
    hold(exists.allows(false), 'An acknowledged item is lost.', facts);
    exists.settle(false);
    return;
  }
  hold(exists.allows(true), 'A deleted item is still there.', facts);
  exists.settle(true);
  hold(record.id === null || record.id === row.id, 'An item has another id than the answer said.', facts);
  // If the request for the fit wasn't answered, no client knows the fit's id or has moved the fit. It is still where
  // the service created it.
  if (source === 'fit' && record.id === null) place.settle(placeOf(row.folder, row.label));
  record.id = row.id;
  record.fullName = row.fullName;
  const placed = placeOf(row.folder, row.label);
  hold(place.allows(placed), 'An item is where nobody moved it, or not where it was moved.', {
    ...facts,
    possible: place.possible,
  });
  place.settle(placed);
  endOtherwise(ledger, record, row);
  hold(statusesOf(record).includes(row.status), 'An item has a status that it can’t have.', facts);
  if (row.status !== 'active') return;
  if (bytes) {
    // A file that was sent directly to a bucket wasn't hashed.
    const hashes = source === 'presigned' ? [bytes.sha256, null] : [bytes.sha256];
    hold(hashes.includes(row.sha256) && row.size === bytes.size, 'A row describes other bytes.', facts);
  }
  record.isActive = true;
  record.sent.settle(true);
}

/**
 * The number of interruptions after which the service gives up a job (docs/reliability.md), and the error with which
 * its item then fails.
 */
const GIVEN_UP = {
  import: { after: 10, error: 'The import was interrupted too often.' },
  fit: { after: 4, error: 'The conversion was interrupted too often.' },
} as const;

/** The error of a job of the kind `fit` whose original was deleted before the job had ended. */
const LACKS_ORIGINAL = 'The original no longer exists.';

/** Records that an import or a fit failed, if its error is one of those above and the ledger explains the failure. */
export function endOtherwise(
  { kills }: Ledger,
  record: MediaRecord,
  { status, error }: { readonly status: string; readonly error: unknown },
): void {
  const { source, fit, bornAfter } = record;
  if ((source !== 'import' && source !== 'fit') || status !== 'failed') return;
  const isGivenUp = error === GIVEN_UP[source].error && kills - bornAfter >= GIVEN_UP[source].after;
  const isAlone = error === LACKS_ORIGINAL && (fit?.original.wasDeleted ?? false);
  if (isGivenUp || isAlone) record.ends = 'failed';
}

/** Returns the statuses that the item's row may have. */
export function statusesOf({ source, ends, isActive, sent }: MediaRecord): readonly string[] {
  if (isActive || source === 'upload') return ['active'];
  if (source === 'import' || source === 'fit') return ['processing', ends];
  return sent.is(false) ? ['temporary'] : ['temporary', 'active'];
}

/**
 * Checks that each video has at most one cover. If a request chose an image as the cover, the cover must be the choice
 * of the last acknowledged request, or of a request without an answer.
 */
function compareCovers(ledger: Ledger, { media }: Rows): void {
  const byId = new Map(media.map((row) => [row.id, row]));
  const covers = new Map<string, MediaRow>();
  for (const row of media) {
    if (row.coverOf === null) continue;
    const video = byId.get(row.coverOf);
    hold(row.status === 'active' && video?.status === 'active', 'A cover stands beside no video.', { row, video });
    hold(!covers.has(row.coverOf), 'A video has two covers.', { row, other: covers.get(row.coverOf) });
    covers.set(row.coverOf, row);
  }
  for (const { id, stem, cover } of ledger.media.values()) {
    if (id === null || !byId.has(id)) continue;
    const hash = covers.get(id)?.sha256 ?? null;
    const isChosen = hash !== null && cover.allows(hash);
    hold(isChosen || cover.allows(null), 'A video doesn’t have the cover that was chosen.', {
      stem,
      hash,
      possible: cover.possible,
    });
    cover.settle(isChosen ? hash : null);
  }
}
