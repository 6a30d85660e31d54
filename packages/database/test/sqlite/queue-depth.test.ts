import { expect, test } from 'bun:test';
import { openSqlite } from '../../src/index.ts';
import { Sqlite } from '../../src/sqlite/connection/native.ts';
import { withFile } from '../support/scratch.ts';

/** The beginning of an `insert` statement that supplies numbered rows. */
const NUMBERS = 'with recursive numbers(n) as (select 1 union all select n + 1 from numbers where n < ?)';

const QUEUES = {
  jobs: `${NUMBERS} insert into jobs (kind, subject_id, workspace_id, added_at, due_at, attempts, claims)
    select 'preview', ? || n, '', n, n, 0, 0 from numbers`,
  deliveries: `${NUMBERS} insert into webhook_deliveries
    (id, webhook_id, workspace_id, event_id, event_type, payload, status, attempts, next_attempt_at, created_at)
    select ? || n, 'webhook', 'workspace', 'event', 'media.active', '{}', 'pending', 0, n, n from numbers`,
} as const;

test.each(Object.keys(QUEUES) as (keyof typeof QUEUES)[])('more than 5,000 %s are counted by a scan', (queue) =>
  withFile(async (file) => {
    const database = await openSqlite(file);
    await database.migrate();
    let scans = 0;
    database.shareScans(async () => {
      scans += 1;
      return () => undefined;
    });
    const depth = async (): Promise<unknown> => {
      if (queue === 'deliveries') return database.deliveries.depth();
      const { waiting, oldest } = (await database.jobs.figures()).get('preview') ?? {};
      return { pending: waiting, oldest };
    };
    const connection = new Sqlite(file);
    connection.pragma('foreign_keys = off');
    const add = connection.prepare(QUEUES[queue]);
    add.run(5000, 'some');
    expect(await depth()).toEqual({ pending: 5000, oldest: 1 });
    expect(scans).toBe(0);
    add.run(1, 'more');
    expect(await depth()).toEqual({ pending: 5001, oldest: 1 });
    expect(scans).toBe(1);
    connection.close();
    await database.close();
  }),
);
