import { describe, expect, test } from 'bun:test';
import { Refusal, type Uuid } from '@postshelf/domain';
import { thrownBy } from '@postshelf/testing/outcomes';
import { type RealPostgres, realPostgres, withClient } from '@postshelf/testing/servers/postgres';
import { sql } from 'kysely';
import { openStore, type PostgresStore } from '../../src/postgres/store.ts';
import type { Scan } from '../../src/store/store.ts';
import { withPostgres } from './support.ts';

const server = await realPostgres('scans over PostgreSQL');

const NOBODY = { workspaceId: '019f5b0e-7a10-7c55-8a31-4b7e9d2f6c80' as Uuid };

const withStore = (real: RealPostgres, test: (store: PostgresStore, url: string) => Promise<void>): Promise<void> =>
  withPostgres(real, {}, async (_database, url) => {
    const store = openStore({ url, size: 2, statementTimeout: 600_000, connectTimeout: 60_000 });
    try {
      await test(store, url);
    } finally {
      await store.close();
    }
  });

/** Returns a scan that would take ten minutes; `begun` is called just before its query runs. */
const endless = (begun: () => void): Scan<[], unknown> => ({
  name: 'endless',
  run: ({ read }) =>
    read((queries) => {
      begun();
      return sql`select pg_sleep(600)`.execute(queries);
    }),
});

describe.skipIf(!server)('a scan with PostgreSQL', () => {
  const real = server as RealPostgres;

  test('is cancelled at the server when its caller disconnects, and its connection can be reused', () =>
    withStore(real, async (store, url) => {
      const controller = new AbortController();
      const asked = Promise.withResolvers<void>();
      const scan = store.scan(endless(asked.resolve), { ...NOBODY, signal: controller.signal });
      const ended = scan.catch((error: unknown) => error);
      await asked.promise;
      await underWay(url);
      controller.abort();
      const error = await ended;
      expect(error).toBeInstanceOf(Refusal);
      expect(error).toMatchObject({ problem: { code: 'malformed' } });
      expect(await sleepers(url)).toBe(0);
      const answers = Array.from({ length: 10 }, () => sql<{ one: number }>`select 1 as one`.execute(store.reads));
      for (const { rows } of await Promise.all(answers)) expect(rows).toEqual([{ one: 1 }]);
    }));

  test('of many queries starts no further query once it is aborted', () =>
    withStore(real, async (store) => {
      const controller = new AbortController();
      let ran = 0;
      const run: Scan<[], void>['run'] = ({ read }) =>
        read(async (queries) => {
          for (; ran < 3; ran += 1) {
            await sql`select 1`.execute(queries);
            controller.abort();
          }
        });
      const scan = store.scan({ name: 'many', run }, { ...NOBODY, signal: controller.signal });
      expect(await thrownBy(scan)).toBeInstanceOf(Refusal);
      expect(ran).toBe(1);
    }));

  test('that is aborted before it starts sends nothing to the server', () =>
    withStore(real, async (store) => {
      let isBegun = false;
      const scan = endless(() => {
        isBegun = true;
      });
      const gone = store.scan(scan, { ...NOBODY, signal: AbortSignal.abort() });
      expect(await thrownBy(gone)).toBeInstanceOf(Refusal);
      expect(isBegun).toBe(false);
    }));
});

const sleepers = (url: string): Promise<number> =>
  withClient(url, async (client) => {
    const { rows } = await client.query<{ count: string }>(
      `select count(*) from pg_stat_activity
       where datname = current_database() and state = 'active' and query = 'select pg_sleep(600)'`,
    );
    return Number(rows[0]?.count);
  });

/** Waits until the server runs the query, because cancelling it before that would have no effect. */
async function underWay(url: string): Promise<void> {
  while ((await sleepers(url)) === 0) await Bun.sleep(20);
}
