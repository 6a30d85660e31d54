import { describe, expect, test } from 'bun:test';
import { parseUuid, type Uuid } from '@postshelf/domain';
import { thrownBy } from '@postshelf/testing/outcomes';
import { sql } from 'kysely';
import { type Migrations, migrate } from '../../src/migrations/migrate.ts';
import { dialects, type OpenedStore, type TestDialect, withAddress } from '../support/dialects.ts';

const LEASED_UNTIL = 900;
const URL = 'https://media.example/a.mov?"é\\"';

/** Returns the nth id. */
function idOf(n: number): Uuid {
  const id = parseUuid(`00000000-0000-7000-8000-${`${n}`.padStart(12, '0')}`);
  if (id === null) throw new Error('This is no id.');
  return id;
}

const [MINE, OTHER, GONE] = [idOf(1), idOf(2), idOf(3)] as const;
const ITEMS = { free: 10, leased: 11, fit: 12, leasedFit: 13, image: 14, late: 15, made: 16, video: 17, theirs: 18 };
const WEBHOOKS = { busy: 30, idle: 31, disabled: 32, removed: 33, theirs: 34, underWay: 35 };

/** A row of a table: its values by column name. The functions below take ids as numbers. */
type Row = Readonly<Record<string, string | number | null>>;

const media = (n: number, status: 'active' | 'processing', details: Row = {}): Row => ({
  id: idOf(n),
  workspace_id: MINE,
  name: 'sample',
  full_name: `${n}`,
  search_key: 'sample',
  created_at: 1,
  updated_at: 1,
  status,
  ...(status === 'active' && { type: 'image/png', size: 1, width: 1, height: 1 }),
  ...details,
});

const webhook = (n: number, details: Row = {}): Row => ({
  id: idOf(n),
  workspace_id: MINE,
  url: 'https://hooks.example/in',
  types: 'media.active',
  enabled: 1,
  created_at: 5,
  updated_at: 6,
  told_after: 7,
  ...details,
});

const delivery = (n: number, webhookId: number, nextAttemptAt: number | null, details: Row = {}): Row => ({
  id: idOf(n),
  webhook_id: idOf(webhookId),
  workspace_id: webhookId === WEBHOOKS.theirs ? OTHER : MINE,
  event_id: idOf(9),
  event_type: 'media.active',
  payload: '{}',
  status: nextAttemptAt === null ? 'delivered' : 'pending',
  attempts: 1,
  next_attempt_at: nextAttemptAt,
  created_at: n,
  ended_at: nextAttemptAt === null ? 8 : null,
  ...details,
});

const LEASE = { lease_owner: 'a worker', lease_until: LEASED_UNTIL };

/** Rows of a library with the baseline schema. Each queue has both leased rows and rows without a lease. */
const ROWS: readonly (readonly [table: string, rows: readonly Row[]])[] = [
  [
    'workspaces',
    [
      { id: MINE, name: 'Mine', timezone: 'UTC', created_at: 1 },
      { id: OTHER, name: 'Other', timezone: 'UTC', created_at: 2 },
      { id: GONE, name: 'Gone', timezone: 'UTC', created_at: 3, removal_begun_at: 40 },
    ],
  ],
  ['removals', [{ workspace_id: GONE, begun_at: 40, ended_at: null, counts: '{}' }]],
  [
    'media',
    [
      ...[ITEMS.free, ITEMS.leased].map((n) => media(n, 'processing')),
      ...[ITEMS.fit, ITEMS.leasedFit].map((n) => media(n, 'processing', { fitted_from: idOf(ITEMS.image) })),
      ...[ITEMS.image, ITEMS.late, ITEMS.made].map((n) => media(n, 'active')),
      media(ITEMS.video, 'active', { type: 'video/mp4', time: 1 }),
      media(ITEMS.theirs, 'active', { workspace_id: OTHER }),
    ],
  ],
  [
    'imports',
    [
      {
        ...{
          media_id: idOf(ITEMS.free),
          workspace_id: MINE,
          url: URL,
          attempts: 2,
          claims: 3,
          added_at: 4,
          due_at: 50,
        },
        ...{ sha256: 'a1'.repeat(32), on_duplicate: 'return', request_id: 'from-a-proxy' },
      },
      {
        ...{ media_id: idOf(ITEMS.leased), workspace_id: MINE, url: URL, attempts: 0, claims: 1, added_at: 5 },
        ...LEASE,
      },
    ],
  ],
  [
    'fits',
    [
      { media_id: idOf(ITEMS.fit), workspace_id: MINE, target: 'x.post', how: 'pad', turn: 4, free_at: 60, claims: 0 },
      {
        ...{ media_id: idOf(ITEMS.leasedFit), workspace_id: MINE, target: 'x.post', how: 'crop', turn: 5, claims: 2 },
        ...{ free_at: LEASED_UNTIL, ...LEASE },
      },
    ],
  ],
  ['covers_due', [{ media_id: idOf(ITEMS.video), workspace_id: MINE, turn: 1, free_at: 70, claims: 1 }]],
  [
    'previews',
    [
      { media_id: idOf(ITEMS.image), has_failed: 0, placeholder: null, due_at: 80, faults: 0 },
      { media_id: idOf(ITEMS.late), has_failed: 0, placeholder: 'data:', due_at: 500, faults: 2 },
      { media_id: idOf(ITEMS.made), has_failed: 1, placeholder: null, due_at: null, faults: 0 },
      { media_id: idOf(ITEMS.theirs), has_failed: 0, placeholder: null, due_at: 81, faults: 0 },
    ],
  ],
  [
    'webhooks',
    [
      webhook(WEBHOOKS.busy, { turn: 3, due_at: 90, previous_until: 100 }),
      webhook(WEBHOOKS.idle, { failing_since: 9, types: null }),
      webhook(WEBHOOKS.disabled, { enabled: 0, disabled_reason: 'failing' }),
      webhook(WEBHOOKS.removed, { enabled: 0, removed_at: 10 }),
      webhook(WEBHOOKS.theirs, { workspace_id: OTHER, due_at: 95 }),
      webhook(WEBHOOKS.underWay, { due_at: LEASED_UNTIL, under_way: idOf(47), ...LEASE }),
    ],
  ],
  [
    'webhook_deliveries',
    [
      delivery(41, WEBHOOKS.busy, 92),
      delivery(40, WEBHOOKS.busy, 97),
      delivery(42, WEBHOOKS.busy, null),
      delivery(43, WEBHOOKS.idle, null),
      delivery(44, WEBHOOKS.disabled, 90),
      delivery(45, WEBHOOKS.removed, 90),
      delivery(46, WEBHOOKS.theirs, 95),
      delivery(47, WEBHOOKS.underWay, 91),
    ],
  ],
  [
    'object_checks',
    [
      {
        ...{ id: 1, cursor: idOf(ITEMS.image), started_at: 5, checked: 6, missing: 1, finished_at: 2, last_checked: 9 },
        ...{ last_missing: 3, ...LEASE },
      },
    ],
  ],
];

/**
 * Runs a test with a library that has these rows and only the baseline migration, and with a function that runs the
 * next migration.
 */
const withBaseline = (
  dialect: TestDialect,
  run: (store: OpenedStore, finish: () => Promise<readonly string[]>) => Promise<void>,
): Promise<void> =>
  withAddress(dialect, async (address) => {
    const store = await dialect.openStore(address);
    try {
      const all = Object.entries(dialect.migrations);
      const until = (count: number): Migrations => Object.fromEntries(all.slice(0, count));
      await store.write((transaction) => migrate(transaction, until(1)));
      await store.write(async (queries) => {
        for (const [table, rows] of ROWS) for (const row of rows) await insert(table, row).execute(queries);
        await sql`delete from resource_changes`.execute(queries);
      });
      await run(store, () => store.write((transaction) => migrate(transaction, until(2))));
    } finally {
      await store.close();
    }
  });

function insert(table: string, row: Row) {
  const secret = Buffer.from([0, 255, 10]);
  const values: Readonly<Record<string, unknown>> = {
    ...row,
    ...(table === 'webhooks' && { secret, previous_secret: row.previous_until === undefined ? null : secret }),
  };
  return sql`insert into ${sql.table(table)} (${sql.join(Object.keys(values).map((name) => sql.ref(name)))})
    values (${sql.join(Object.values(values))})`;
}

/** Returns the rows of a table, ordered by the given columns. */
async function rowsOf({ reads }: OpenedStore, table: string, order: string): Promise<readonly Row[]> {
  const { rows } = await sql<Row>`select * from ${sql.table(table)} order by ${sql.raw(order)}`.execute(reads);
  return rows;
}

const JOB = { payload: null, attempts: 0, claims: 0, lease_owner: null, reason: null, workspace_id: MINE };

/** The expected jobs, in the order of their kinds and subjects. */
const JOBS: readonly Row[] = [
  { ...JOB, kind: 'cover', subject_id: idOf(ITEMS.video), added_at: 70, due_at: 70, claims: 1 },
  { ...JOB, kind: 'delivery', subject_id: idOf(WEBHOOKS.busy), added_at: 40, due_at: 92 },
  { ...JOB, kind: 'delivery', subject_id: idOf(WEBHOOKS.theirs), workspace_id: OTHER, added_at: 46, due_at: 95 },
  // The delivery that a process was working on is tried again.
  { ...JOB, kind: 'delivery', subject_id: idOf(WEBHOOKS.underWay), added_at: 47, due_at: 91 },
  { ...JOB, kind: 'fit', subject_id: idOf(ITEMS.fit), added_at: 60, due_at: 60 },
  {
    ...{ ...JOB, kind: 'fit', subject_id: idOf(ITEMS.leasedFit), claims: 2, lease_owner: 'a worker' },
    ...{ added_at: LEASED_UNTIL, due_at: LEASED_UNTIL },
  },
  { ...JOB, kind: 'import', subject_id: idOf(ITEMS.free), added_at: 4, due_at: 50, attempts: 2, claims: 3 },
  {
    ...{ ...JOB, kind: 'import', subject_id: idOf(ITEMS.leased), added_at: 5, due_at: LEASED_UNTIL },
    ...{ claims: 1, lease_owner: 'a worker' },
  },
  { ...JOB, kind: 'preview', subject_id: idOf(ITEMS.image), added_at: 80, due_at: 80 },
  { ...JOB, kind: 'preview', subject_id: idOf(ITEMS.late), added_at: 500, due_at: 500, claims: 2 },
  { ...JOB, kind: 'preview', subject_id: idOf(ITEMS.theirs), workspace_id: OTHER, added_at: 81, due_at: 81 },
  { ...JOB, kind: 'removal', subject_id: GONE, workspace_id: GONE, added_at: 40, due_at: 40 },
];

const PAYLOADS: Readonly<Record<string, unknown>> = {
  [idOf(ITEMS.free)]: {
    url: URL,
    terms: { sha256: 'a1'.repeat(32), onDuplicate: 'return' },
    requestId: 'from-a-proxy',
  },
  [idOf(ITEMS.leased)]: { url: URL, terms: { sha256: null, onDuplicate: 'keep' }, requestId: null },
  [idOf(ITEMS.fit)]: { target: 'x.post', how: 'pad' },
  [idOf(ITEMS.leasedFit)]: { target: 'x.post', how: 'crop' },
};

const turn = (kind: string, workspaceId: Uuid, dueAt: number): Row => ({
  kind,
  workspace_id: workspaceId,
  due_at: dueAt,
  is_ready: 0,
  turn: 0,
});

describe.each(dialects)('a migrated baseline library in $name', (dialect) => {
  test('keeps each job of the former queues, free or leased', () =>
    withBaseline(dialect, async (store, finish) => {
      expect(await finish()).toEqual(['1001-jobs']);
      const jobs = await rowsOf(store, 'jobs', 'kind, subject_id');
      expect(jobs.map((job): Row => ({ ...job, payload: null }))).toEqual([...JOBS]);
      const payloads = jobs.flatMap(({ subject_id, payload }) =>
        payload === null ? [] : [[subject_id, JSON.parse(`${payload}`)]],
      );
      expect(Object.fromEntries(payloads)).toEqual(PAYLOADS);
      expect(await rowsOf(store, 'job_turns', 'kind, workspace_id')).toEqual([
        turn('cover', MINE, 70),
        turn('delivery', MINE, 91),
        turn('delivery', OTHER, 95),
        turn('fit', MINE, 60),
        turn('import', MINE, 50),
        turn('preview', MINE, 80),
        turn('preview', OTHER, 81),
        turn('removal', GONE, 40),
      ]);
    }));

  test('keeps its webhooks with their deliveries, and the state of previews and of the object check', () =>
    withBaseline(dialect, async (store, finish) => {
      const kept = ['media', 'webhook_deliveries', 'webhooks', 'previews', 'object_checks', 'workspaces', 'removals'];
      const order = (table: string) => (table === 'previews' ? 'media_id' : table === 'removals' ? 'begun_at' : 'id');
      const contents = async () => Promise.all(kept.map((table) => rowsOf(store, table, order(table))));
      const before = await contents();
      await finish();
      const after = await contents();
      // Every remaining column is unchanged. The only missing columns are those that the `jobs` table replaces.
      const lost = new Set<string>();
      for (const [index, rows] of before.entries()) {
        expect(after[index]).toHaveLength(rows.length);
        for (const [nth, row] of rows.entries()) {
          const now = after[index]?.[nth] ?? {};
          expect(row).toMatchObject(now);
          for (const column of Object.keys(row)) if (!(column in now)) lost.add(`${kept[index]}.${column}`);
        }
      }
      expect([...lost].sort()).toEqual([
        'object_checks.lease_owner',
        'object_checks.lease_until',
        'previews.due_at',
        'previews.faults',
        'webhooks.due_at',
        'webhooks.lease_owner',
        'webhooks.lease_until',
        'webhooks.turn',
        'webhooks.under_way',
      ]);
    }));

  test('has the constraints and triggers of a new library', () =>
    withBaseline(dialect, async (store, finish) => {
      await finish();
      const expectRefused = async (statement: ReturnType<typeof insert>): Promise<void> => {
        expect(await thrownBy(store.write((queries) => statement.execute(queries)))).toMatchObject(dialect.refused);
      };
      await expectRefused(insert('webhook_deliveries', delivery(50, 99, 1)));
      await expectRefused(insert('webhooks', webhook(51, { workspace_id: idOf(99) })));
      await expectRefused(insert('webhooks', webhook(52, { removed_at: 1 })));
      await expectRefused(sql`delete from webhooks where id = ${idOf(WEBHOOKS.busy)}`);
      await expectRefused(sql`update media set status = 'temporary' where id = ${idOf(ITEMS.fit)}`);
      await store.write(async (queries) => {
        await sql`delete from media where id in (${idOf(ITEMS.free)}, ${idOf(ITEMS.video)})`.execute(queries);
      });
      const left = await store.reads
        .selectFrom('jobs')
        .select('subject_id')
        .where('kind', 'in', ['import', 'cover'])
        .execute();
      expect(left).toEqual([{ subject_id: idOf(ITEMS.leased) }]);
    }));
});
