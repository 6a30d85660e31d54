import { expect, test } from 'bun:test';
import { compareMedia } from '../../src/torture/check/compare-media.ts';
import { compareOthers } from '../../src/torture/check/compare-others.ts';
import type { MediaRow, Rows } from '../../src/torture/check/rows.ts';
import { Ledger, type MediaRecord, madeMetrics, metricsOf, placeOf } from '../../src/torture/ledger/ledger.ts';
import { Violation } from '../../src/torture/violation.ts';

const NOTHING: Rows = {
  media: [],
  trashed: [],
  imports: [],
  tickets: [],
  folders: [],
  posts: [],
  deleted: new Set<string>(),
};
const ROOT = placeOf(null, null);

/** A ledger with the files of one request, acknowledged or not. */
function asked(
  count: number,
  source: MediaRecord['source'],
  isAcknowledged = true,
): { readonly ledger: Ledger; readonly records: readonly MediaRecord[] } {
  const ledger = new Ledger();
  const contents = Array.from({ length: count }, () => {
    const number = ledger.number();
    return { number, kind: 'jpeg', filling: 0, size: 9, sha256: `${number}`, mime: '', extension: 'jpg' } as const;
  });
  const { records } = ledger.addMedia(contents, { source, ends: 'active', place: ROOT });
  for (const record of records) {
    const pending = record.exists.begin(true);
    if (!isAcknowledged) continue;
    pending.acknowledge();
    record.id = idOf(record);
    record.isActive = source === 'upload';
  }
  return { ledger, records };
}

const idOf = ({ stem }: MediaRecord): string => `id of ${stem}`;

const rowOf = (record: MediaRecord, other: Partial<MediaRow> = {}): MediaRow => ({
  id: idOf(record),
  stem: record.stem,
  fullName: `workspace/${idOf(record)}/${record.stem}.jpg`,
  folder: null,
  label: null,
  status: 'active',
  size: record.content.size,
  sha256: record.content.sha256,
  coverOf: null,
  error: null,
  ...other,
});

const first = <T>(all: readonly T[]): T => {
  const [one] = all;
  if (one === undefined) throw new Error('There is none.');
  return one;
};

/** What the checker says of the rows; null when it finds nothing. */
function verdict(ledger: Ledger, rows: Partial<Rows>): string | null {
  try {
    compareMedia(ledger, { ...NOTHING, ...rows });
    compareOthers(ledger, { ...NOTHING, ...rows });
    return null;
  } catch (error) {
    if (error instanceof Violation) return error.message;
    throw error;
  }
}

test('accepts rows as they were acknowledged', () => {
  const { ledger, records } = asked(2, 'upload');
  expect(verdict(ledger, { media: records.map((record) => rowOf(record)) })).toBeNull();
});

test('an acknowledged item without a row is lost', () => {
  const { ledger, records } = asked(2, 'upload');
  expect(verdict(ledger, { media: [rowOf(first(records))] })).toBe('An acknowledged item is lost.');
});

test('accepts all or no rows of a request without an answer', () => {
  const whole = asked(2, 'upload', false);
  expect(verdict(whole.ledger, { media: whole.records.map((record) => rowOf(record)) })).toBeNull();
  expect(first(whole.records).exists.is(true)).toBe(true);
  const nothing = asked(2, 'upload', false);
  expect(verdict(nothing.ledger, {})).toBeNull();
  expect(nothing.ledger.media.size).toBe(0);
  const half = asked(2, 'upload', false);
  expect(verdict(half.ledger, { media: [rowOf(first(half.records))] })).toBe('A request was stored in part.');
});

test('refuses a row that was missing at an earlier check', () => {
  const { ledger, records } = asked(1, 'upload', false);
  expect(verdict(ledger, {})).toBeNull();
  expect(verdict(ledger, { media: [rowOf(first(records))] })).toStartWith('A deleted item is back');
});

test('an acknowledged deletion stays; one without an answer may be either, from then on for good', () => {
  const { ledger, records } = asked(1, 'upload');
  const record = first(records);
  record.exists.begin(false);
  expect(verdict(ledger, { media: [rowOf(record)] })).toBeNull();
  record.exists.begin(false).acknowledge();
  expect(verdict(ledger, { media: [rowOf(record)] })).toBe('A deleted item is still there.');
});

test.each([
  ['somebody else’s', { stem: 'stray' }, 'An item is there that nobody asked for.'],
  ['another id', { id: 'another' }, 'An item has another id than the answer said.'],
  ['other bytes', { sha256: 'other' }, 'A row tells of other bytes.'],
  ['a folder', { folder: 'elsewhere' }, 'An item is where nobody moved it, or not where it was moved.'],
  ['a label', { label: 'another' }, 'An item is where nobody moved it, or not where it was moved.'],
  ['a status', { status: 'processing' }, 'An item has a status that it can’t have.'],
])('a row with %s is found', (_, other, message) => {
  const { ledger, records } = asked(1, 'upload');
  expect(verdict(ledger, { media: [rowOf(first(records), other)] })).toBe(message);
});

test('refuses half of a move', () => {
  const { ledger, records } = asked(1, 'upload');
  const record = first(records);
  record.place.begin(placeOf('folder', 'label'));
  expect(verdict(ledger, { media: [rowOf(record, { folder: 'folder' })] })).toStartWith('An item is where nobody');
  expect(verdict(ledger, { media: [rowOf(record, { folder: 'folder', label: 'label' })] })).toBeNull();
});

test('refuses a processing item without a job, and a job with too long a lease', () => {
  const row = (record: MediaRecord) => rowOf(record, { status: 'processing', size: null, sha256: null });
  const { ledger, records } = asked(1, 'import');
  const media = [row(first(records))];
  const mediaId = idOf(first(records));
  expect(verdict(ledger, { media, imports: [{ mediaId, leaseUntil: null }] })).toBeNull();
  expect(verdict(ledger, { media })).toBe('An item is processing and nobody will see to it.');
  const leaseUntil = Date.now() + 60_000;
  expect(verdict(ledger, { media, imports: [{ mediaId, leaseUntil }] })).toBe('A lease lasts longer than leases do.');
  const done = { media: [rowOf(first(records))], imports: [{ mediaId, leaseUntil: null }] };
  expect(verdict(ledger, done)).toStartWith('Work is left');
});

test('an import is given up after ten kills, not before', () => {
  const { ledger, records } = asked(1, 'import');
  const error = 'The import was interrupted too often.';
  const media = [rowOf(first(records), { status: 'failed', size: null, sha256: null, error })];
  ledger.kills = 9;
  expect(verdict(ledger, { media })).toBe('An item has a status that it can’t have.');
  ledger.kills = 10;
  expect(verdict(ledger, { media })).toBeNull();
});

test('a cover exists only with its video', () => {
  const { ledger, records } = asked(1, 'upload');
  const video = rowOf(first(records));
  const cover = { ...video, id: 'cover', coverOf: video.id };
  expect(verdict(ledger, { media: [video, cover] })).toBeNull();
  expect(verdict(ledger, { media: [video, { ...cover, coverOf: 'gone' }] })).toBe('A cover stands beside no video.');
});

test('a film has one cover, that of the last acknowledged choice', () => {
  const { ledger, records } = asked(1, 'upload');
  const [record, video] = [first(records), rowOf(first(records))];
  const cover = (sha256: string, id = 'cover') => ({ ...video, id, sha256, coverOf: video.id });
  expect(verdict(ledger, { media: [video, cover('made by itself')] })).toBeNull();
  expect(verdict(ledger, { media: [video, cover('a'), cover('b', 'other')] })).toBe('A film has two covers.');
  record.cover.begin('first').acknowledge();
  expect(verdict(ledger, { media: [video, cover('first')] })).toBeNull();
  for (const media of [[video], [video, cover('made by itself')]])
    expect(verdict(ledger, { media })).toBe('A film doesn’t have the cover that was chosen.');
  record.cover.begin('second');
  expect(verdict(ledger, { media: [video, cover('first')] })).toBeNull();
  expect(verdict(ledger, { media: [video, cover('second')] })).toStartWith('A film doesn’t have');
});

test('metrics are those of one write, the last that was acknowledged', () => {
  const ledger = new Ledger();
  const of = (number: number) => madeMetrics(number);
  const record = ledger.addPost(
    '1',
    metricsOf((name) => of(1)[name]),
  );
  record.exists.begin(true).acknowledge();
  const row = (metrics: Readonly<Record<string, unknown>>) => ({ posts: [{ id: 'x', externalId: '1', metrics }] });
  expect(verdict(ledger, row(of(1)))).toBeNull();
  record.metrics.begin(metricsOf((name) => of(2)[name])).acknowledge();
  expect(verdict(ledger, row(of(1)))).toStartWith('A post has metrics that nobody gave');
  expect(verdict(ledger, row({ ...of(2), likes: of(1).likes }))).toStartWith('A post has metrics that nobody gave');
  expect(verdict(ledger, {})).toBe('An acknowledged post is lost.');
});

test('folders are where they were moved, without a cycle', () => {
  const ledger = new Ledger();
  for (const name of ['a', 'b']) ledger.addFolder(name, null).exists.begin(true).acknowledge();
  ledger.folders.get('a')?.parent.begin('b');
  ledger.folders.get('b')?.parent.begin('a');
  const rows = (a: string | null, b: string | null) => ({
    folders: [
      { id: 'a', name: 'a', parent: a },
      { id: 'b', name: 'b', parent: b },
    ],
  });
  expect(verdict(ledger, rows('b', 'a'))).toBe('Folders stand in a circle.');
  expect(verdict(ledger, rows('a', null))).toBe('A folder is where nobody moved it.');
});
