import { describe, expect, test } from 'bun:test';
import { compareGuests } from '../../src/torture/check/compare-guests.ts';
import { compareJobs } from '../../src/torture/check/compare-jobs.ts';
import { compareMedia } from '../../src/torture/check/compare-media.ts';
import { compareOthers } from '../../src/torture/check/compare-others.ts';
import type { JobRow, MediaRow, Rows } from '../../src/torture/check/rows.ts';
import { FIT_SHAPES, stemOfFit } from '../../src/torture/ledger/fit.ts';
import { Ledger, type MediaRecord, madeMetrics, metricsOf, placeOf } from '../../src/torture/ledger/ledger.ts';
import { Violation } from '../../src/torture/violation.ts';

const NOTHING: Rows = {
  media: [],
  trashed: [],
  jobs: [],
  tickets: [],
  folders: [],
  posts: [],
  deleted: new Set<string>(),
  workspaces: [],
  traces: [],
  previews: new Map(),
  objectCheck: null,
};
const ROOT = placeOf(null, null);
const OWN = 'workspace';

/** Returns a ledger with the files of one request. `isAcknowledged` says whether the request was acknowledged. */
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
  workspace: OWN,
  stem: record.stem,
  fullName: `workspace/${idOf(record)}/${record.stem}.jpg`,
  folder: null,
  label: null,
  status: 'active',
  size: record.content.size,
  type: 'image/jpeg',
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

/** Returns the checker's complaint about the rows; null if it has none. */
function verdict(ledger: Ledger, rows: Partial<Rows>): string | null {
  try {
    const all = { ...NOTHING, ...rows };
    compareMedia(ledger, all);
    compareOthers(ledger, all);
    compareJobs(all);
    compareGuests(ledger, all, OWN);
    return null;
  } catch (error) {
    if (error instanceof Violation) return error.message;
    throw error;
  }
}

test('the row check accepts rows that match what was acknowledged', () => {
  const { ledger, records } = asked(2, 'upload');
  expect(verdict(ledger, { media: records.map((record) => rowOf(record)) })).toBeNull();
});

test('the row check reports an acknowledged item without a row as lost', () => {
  const { ledger, records } = asked(2, 'upload');
  expect(verdict(ledger, { media: [rowOf(first(records))] })).toBe('An acknowledged item is lost.');
});

test('the row check accepts all or none of the rows of an unanswered request, but not only some', () => {
  const whole = asked(2, 'upload', false);
  expect(verdict(whole.ledger, { media: whole.records.map((record) => rowOf(record)) })).toBeNull();
  expect(first(whole.records).exists.is(true)).toBe(true);
  const nothing = asked(2, 'upload', false);
  expect(verdict(nothing.ledger, {})).toBeNull();
  expect(nothing.ledger.media.size).toBe(0);
  const half = asked(2, 'upload', false);
  expect(verdict(half.ledger, { media: [rowOf(first(half.records))] })).toBe('A request was stored in part.');
});

test('the row check reports a row that reappears after an earlier check found it missing', () => {
  const { ledger, records } = asked(1, 'upload', false);
  expect(verdict(ledger, {})).toBeNull();
  expect(verdict(ledger, { media: [rowOf(first(records))] })).toStartWith('A deleted item is back');
});

test('a deleted item may still have its row if the deletion is unanswered, but not if it is acknowledged', () => {
  const { ledger, records } = asked(1, 'upload');
  const record = first(records);
  record.exists.begin(false);
  expect(verdict(ledger, { media: [rowOf(record)] })).toBeNull();
  record.exists.begin(false).acknowledge();
  expect(verdict(ledger, { media: [rowOf(record)] })).toBe('A deleted item is still there.');
});

test.each([
  ['an unknown file name', { stem: 'stray' }, 'An item is there that nobody asked for.'],
  ['a different id', { id: 'another' }, 'An item has another id than the answer said.'],
  ['different bytes', { sha256: 'other' }, 'A row describes other bytes.'],
  ['an unexpected folder', { folder: 'elsewhere' }, 'An item is where nobody moved it, or not where it was moved.'],
  ['an unexpected label', { label: 'another' }, 'An item is where nobody moved it, or not where it was moved.'],
  ['an impossible status', { status: 'processing' }, 'An item has a status that it can’t have.'],
])('the row check reports a row with %s', (_, other, message) => {
  const { ledger, records } = asked(1, 'upload');
  expect(verdict(ledger, { media: [rowOf(first(records), other)] })).toBe(message);
});

test('the row check reports a partly stored move', () => {
  const { ledger, records } = asked(1, 'upload');
  const record = first(records);
  record.place.begin(placeOf('folder', 'label'));
  expect(verdict(ledger, { media: [rowOf(record, { folder: 'folder' })] })).toStartWith('An item is where nobody');
  expect(verdict(ledger, { media: [rowOf(record, { folder: 'folder', label: 'label' })] })).toBeNull();
});

const jobOf = (kind: string, subject: string, other: Partial<JobRow> = {}): JobRow => ({
  kind,
  subject,
  dueAt: 1,
  owner: null,
  reason: null,
  ...other,
});

test('the row check reports a processing item without a job, an overlong lease and a needless job', () => {
  const row = (record: MediaRecord) => rowOf(record, { status: 'processing', size: null, sha256: null });
  const { ledger, records } = asked(1, 'import');
  const media = [row(first(records))];
  const id = idOf(first(records));
  expect(verdict(ledger, { media, jobs: [jobOf('import', id)] })).toBeNull();
  expect(verdict(ledger, { media })).toBe('Something is processing and nobody will see to it.');
  const long = jobOf('import', id, { owner: 'somebody', dueAt: Date.now() + 60_000 });
  expect(verdict(ledger, { media, jobs: [long] })).toBe('A lease lasts longer than leases do.');
  const done = { media: [rowOf(first(records))], jobs: [jobOf('import', id)] };
  expect(verdict(ledger, done)).toStartWith('Work is left');
  const aimless = { media: [], jobs: [jobOf('preview', 'gone')] };
  expect(verdict(new Ledger(), aimless)).toBe('Covers or previews are to be made of what isn’t there.');
});

test.each([
  ['import', 'The import was interrupted too often.', 10],
  ['fit', 'The conversion was interrupted too often.', 4],
] as const)(
  'the row check accepts a %s job that failed after too many interruptions only if enough kills happened',
  (source, error, kills) => {
    const { ledger, records } = asked(1, source);
    const media = [rowOf(first(records), { status: 'failed', size: null, sha256: null, error })];
    ledger.kills = kills - 1;
    expect(verdict(ledger, { media })).toBe('An item has a status that it can’t have.');
    ledger.kills = kills;
    expect(verdict(ledger, { media })).toBeNull();
  },
);

test('a fit may fail for a missing original only if the original was deleted', () => {
  const { ledger, records } = asked(1, 'upload');
  const [original, shape] = [first(records), first(FIT_SHAPES.jpeg)];
  const fit = ledger.addFit(stemOfFit(original.stem, shape), { ...shape, original });
  fit.exists.begin(true).acknowledge();
  const error = 'The original no longer exists.';
  const failed = rowOf(fit, { status: 'failed', size: null, sha256: null, error });
  expect(verdict(ledger, { media: [rowOf(original), failed] })).toBe('An item has a status that it can’t have.');
  original.wasDeleted = true;
  expect(verdict(ledger, { media: [rowOf(original), failed] })).toBeNull();
});

test('a fitted file must keep the bytes that the first check recorded', () => {
  const { ledger, records } = asked(1, 'upload');
  const [original, shape] = [first(records), first(FIT_SHAPES.jpeg)];
  const fit = ledger.addFit(stemOfFit(original.stem, shape), { ...shape, original });
  fit.exists.begin(true).acknowledge();
  const made = (sha256: string) => ({ media: [rowOf(original), rowOf(fit, { sha256, size: 7 })] });
  expect(verdict(ledger, made('any'))).toBeNull();
  fit.bytes = { sha256: 'looked at', size: 7 };
  expect(verdict(ledger, made('another'))).toBe('A row describes other bytes.');
  expect(verdict(ledger, made('looked at'))).toBeNull();
});

describe('a guest’s workspace', () => {
  const guestIn = (ledger: Ledger) => {
    const guest = ledger.addGuest();
    guest.exists.begin(true).acknowledge();
    guest.id = 'guest';
    return guest;
  };
  const there = ({ name }: { readonly name: string }, isGoing = false) => [
    { id: OWN, name: 'Torture', isGoing: false },
    { id: 'guest', name, isGoing },
  ];

  test('exists with its items until it is removed', () => {
    const ledger = new Ledger();
    const guest = guestIn(ledger);
    expect(verdict(ledger, { workspaces: there(guest) })).toBeNull();
    guest.items.add('item');
    expect(verdict(ledger, { workspaces: there(guest) })).toBe('An acknowledged item of another workspace is lost.');
    expect(verdict(ledger, { workspaces: there({ name: 'stray' }) })).toBe(
      'A workspace is there that nobody asked for.',
    );
    expect(verdict(ledger, {})).toBe('A workspace is lost.');
  });

  test('needs a job while it is being removed, and leaves only a removal record', () => {
    const ledger = new Ledger();
    const guest = guestIn(ledger);
    guest.exists.begin(false).acknowledge();
    expect(verdict(ledger, { workspaces: there(guest) })).toBe('A removed workspace is there.');
    const jobs = [jobOf('removal', 'guest')];
    const traces = [{ table: 'folders', workspace: 'guest' }];
    expect(verdict(ledger, { workspaces: there(guest, true), traces, jobs })).toBeNull();
    expect(verdict(ledger, { workspaces: there(guest, true), traces })).toBe(
      'Something is being removed and nobody will see to it.',
    );
    expect(verdict(ledger, { traces })).toBe('Rows are left of a workspace that was removed.');
    expect(verdict(ledger, { traces: [{ table: 'removals', workspace: 'guest' }] })).toBeNull();
  });
});

test('a cover exists only with its video', () => {
  const { ledger, records } = asked(1, 'upload');
  const video = rowOf(first(records));
  const cover = { ...video, id: 'cover', coverOf: video.id };
  expect(verdict(ledger, { media: [video, cover] })).toBeNull();
  expect(verdict(ledger, { media: [video, { ...cover, coverOf: 'gone' }] })).toBe('A cover stands beside no video.');
});

test('a video has one cover, which must be the last acknowledged choice', () => {
  const { ledger, records } = asked(1, 'upload');
  const [record, video] = [first(records), rowOf(first(records))];
  const cover = (sha256: string, id = 'cover') => ({ ...video, id, sha256, coverOf: video.id });
  expect(verdict(ledger, { media: [video, cover('made by itself')] })).toBeNull();
  expect(verdict(ledger, { media: [video, cover('a'), cover('b', 'other')] })).toBe('A video has two covers.');
  record.cover.begin('first').acknowledge();
  expect(verdict(ledger, { media: [video, cover('first')] })).toBeNull();
  for (const media of [[video], [video, cover('made by itself')]])
    expect(verdict(ledger, { media })).toBe('A video doesn’t have the cover that was chosen.');
  record.cover.begin('second');
  expect(verdict(ledger, { media: [video, cover('first')] })).toBeNull();
  expect(verdict(ledger, { media: [video, cover('second')] })).toStartWith('A video doesn’t have');
});

test('the metrics of a post all come from one write, which is the last acknowledged one', () => {
  const ledger = new Ledger();
  const of = (number: number) => madeMetrics(number);
  const record = ledger.addPost(
    '1',
    metricsOf((name) => of(1)[name]),
  );
  record.exists.begin(true).acknowledge();
  const row = (metrics: Readonly<Record<string, unknown>>) => ({
    posts: [{ id: 'x', workspace: OWN, externalId: '1', metrics }],
  });
  expect(verdict(ledger, row(of(1)))).toBeNull();
  record.metrics.begin(metricsOf((name) => of(2)[name])).acknowledge();
  expect(verdict(ledger, row(of(1)))).toStartWith('A post has metrics that nobody gave');
  expect(verdict(ledger, row({ ...of(2), likes: of(1).likes }))).toStartWith('A post has metrics that nobody gave');
  expect(verdict(ledger, {})).toBe('An acknowledged post is lost.');
});

test('the row check reports folders that form a cycle, and a folder that moved without a request', () => {
  const ledger = new Ledger();
  for (const name of ['a', 'b']) ledger.addFolder(name, null).exists.begin(true).acknowledge();
  ledger.folders.get('a')?.parent.begin('b');
  ledger.folders.get('b')?.parent.begin('a');
  const rows = (a: string | null, b: string | null) => ({
    folders: [
      { id: 'a', workspace: OWN, name: 'a', parent: a },
      { id: 'b', workspace: OWN, name: 'b', parent: b },
    ],
  });
  expect(verdict(ledger, rows('b', 'a'))).toBe('Folders stand in a circle.');
  expect(verdict(ledger, rows('a', null))).toBe('A folder is where nobody moved it.');
});
