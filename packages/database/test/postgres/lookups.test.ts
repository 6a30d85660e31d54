import { describe, expect, test } from 'bun:test';
import type { Uuid } from '@postshelf/domain';
import { addWorkspace } from '@postshelf/testing/contracts/samples';
import { thrownBy } from '@postshelf/testing/outcomes';
import { type RealPostgres, realPostgres, withClient } from '@postshelf/testing/servers/postgres';
import { type CompiledQuery, sql } from 'kysely';
import { Lookups } from '../../src/postgres/lookups.ts';
import { openStore, type PostgresStore } from '../../src/postgres/store.ts';
import { GIVEN } from '../../src/store/store.ts';
import { withPostgres } from './support.ts';

const id = (number: number): Uuid => `01940000-0000-7000-8000-${String(number).padStart(12, '0')}` as Uuid;

/** A fake server that keeps the sent statements until the test answers them. */
class Server {
  readonly sent: { readonly ids: readonly Uuid[]; answer(): void; fail(cause: Error): void }[] = [];
  readonly find: (id: Uuid) => Promise<readonly unknown[]>;

  constructor() {
    const run = <Row>({ parameters: [given] }: CompiledQuery<Row>): Promise<readonly Row[]> => {
      const { promise, resolve, reject } = Promise.withResolvers<readonly Row[]>();
      const ids = (Array.isArray(given) ? given : [given]) as Uuid[];
      const rows = ids.map((found, index) => ({ found, lookup_number: index + 1 }) as Row);
      this.sent.push({ ids, answer: () => resolve(rows), fail: reject });
      return promise;
    };
    const query = sql<{ found: Uuid }>`select id as found from media where id = ${''}`;
    const compiled = { ...({} as CompiledQuery<unknown>), sql: 'select … where id = $1', parameters: [query] };
    this.find = new Lookups(run).prepare(compiled);
  }
}

const nextTurn = (): Promise<void> => new Promise((resolve) => setImmediate(resolve));
const found = (rows: readonly unknown[]): unknown => rows.map((row) => (row as { found: Uuid }).found);

describe('small reads', () => {
  test('of one event-loop turn are sent as one statement without duplicates, and each gets its own row', async () => {
    const server = new Server();
    const asked = [1, 2, 1, 3].map((number) => server.find(id(number)));
    await nextTurn();
    expect(server.sent.map(({ ids }) => ids)).toEqual([[id(1), id(2), id(3)]]);
    server.sent[0]?.answer();
    expect((await Promise.all(asked)).map(found)).toEqual([[id(1)], [id(2)], [id(1)], [id(3)]]);
  });

  test('are sent again even if an equal read is in flight in an earlier batch', async () => {
    const server = new Server();
    const early = server.find(id(1));
    await nextTurn();
    const late = server.find(id(1));
    await nextTurn();
    expect(server.sent.map(({ ids }) => ids)).toEqual([[id(1)], [id(1)]]);
    for (const { answer } of server.sent) answer();
    expect(found(await early)).toEqual(found(await late));
  });

  test('wait while two batches are in flight, and continue once one of them has failed', async () => {
    const server = new Server();
    const asked: Promise<unknown>[] = [];
    for (const number of [1, 2, 3, 4]) {
      asked.push(server.find(id(number)).then(found, (cause: unknown) => cause));
      await nextTurn();
    }
    expect(server.sent.map(({ ids }) => ids)).toEqual([[id(1)], [id(2)]]);
    const failure = new Error('gone');
    server.sent[1]?.fail(failure);
    await asked[1];
    await nextTurn();
    expect(server.sent.map(({ ids }) => ids)).toEqual([[id(1)], [id(2)], [id(3), id(4)]]);
    server.sent[0]?.answer();
    server.sent[2]?.answer();
    expect(await Promise.all(asked)).toEqual([[id(1)], failure, [id(3)], [id(4)]]);
  });

  test('are limited to a hundred per statement', async () => {
    const server = new Server();
    const asked = Array.from({ length: 150 }, (_, number) => server.find(id(number)));
    await nextTurn();
    await nextTurn();
    expect(server.sent.map(({ ids }) => ids.length)).toEqual([100, 50]);
    for (const { answer } of server.sent) answer();
    expect((await Promise.all(asked)).map(found)).toEqual(Array.from(asked, (_, number) => [id(number)]));
  });
});

const postgres = await realPostgres('small reads over PostgreSQL');

describe.skipIf(!postgres)('small reads with PostgreSQL', () => {
  const real = postgres as RealPostgres;

  const withStore = (test: (store: PostgresStore, ids: readonly Uuid[], url: string) => Promise<void>) =>
    withPostgres(real, {}, async (database, url) => {
      const ids: Uuid[] = [];
      while (ids.length < 40) ids.push((await addWorkspace(database)).id);
      const store = openStore({ url, size: 1, statementTimeout: 60_000, connectTimeout: 60_000 });
      try {
        await test(store, ids, url);
      } finally {
        await store.close();
      }
    });

  const workspaces = (store: PostgresStore) =>
    store.lookup((queries) => queries.selectFrom('workspaces').select(['id', 'name']).where('id', '=', GIVEN));

  test('share one plan for any number of lookups, and find existing rows', () =>
    withStore(async (store, ids) => {
      const find = workspaces(store);
      for (const count of [2, 3, 40, 5, 17, 2, 33, 8, 4, 12]) {
        const asked = [...ids.slice(0, count), id(count)];
        const rows = await Promise.all(asked.map(async (one) => await find(one)));
        expect(rows.map(([row]) => row?.id)).toEqual([...ids.slice(0, count), undefined]);
      }
      const plans = await sql<{ custom: number; generic: number }>`
        select custom_plans as custom, generic_plans as generic from pg_prepared_statements
        where statement like '%lookup_number%'`.execute(store.reads);
      // PostgreSQL makes five custom plans before it compares them with a generic one.
      expect(plans.rows).toEqual([{ custom: 5, generic: 5 }]);
    }));

  test('see everything committed before they were requested', () =>
    withStore(async (store, ids, url) => {
      const find = workspaces(store);
      const some = ids.slice(0, 3);
      await withClient(url, async (other) => {
        for (let number = 1; number <= 150; number += 1) {
          const early = some.map((one) => Promise.resolve(find(one)));
          await other.query('update workspaces set name = $1', [String(number)]);
          const late = await Promise.all(some.map(async (one) => await find(one)));
          expect(late.map(([row]) => row?.name)).toEqual(some.map(() => String(number)));
          await Promise.all(early);
        }
      });
    }));

  test('fail with the reason, and later reads succeed', () =>
    withStore(async (store, ids) => {
      const broken = store.lookup((queries) =>
        queries.selectFrom('workspaces').select(sql`1 / 0`.as('nothing')).where('id', '=', GIVEN),
      );
      const failures = await Promise.all(ids.slice(0, 2).map(async (one) => thrownBy(Promise.resolve(broken(one)))));
      for (const failure of failures) expect(`${failure}`).toContain('division by zero');
      expect(await workspaces(store)(ids[0] as Uuid)).toHaveLength(1);
    }));
});
