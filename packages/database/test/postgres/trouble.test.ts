import { describe, expect, test } from 'bun:test';
import { addFolder, addWorkspace, sampleFolder } from '@postshelf/testing/contracts/samples';
import { thrownBy } from '@postshelf/testing/outcomes';
import { type RealPostgres, realPostgres, runSql, withClient } from '@postshelf/testing/servers/postgres';
import { sql } from 'kysely';
import { openStore, type PostgresStore } from '../../src/postgres/store.ts';
import { expectUnavailable, withPostgres } from './support.ts';

const server = await realPostgres('what PostgreSQL does in trouble');

/** Runs a test on a store with a new, empty database. */
const withStore = (real: RealPostgres, test: (store: PostgresStore, url: string) => Promise<void>): Promise<void> =>
  withPostgres(real, {}, async (_database, url) => {
    const store = openStore({ url, size: 4, statementTimeout: 60_000, connectTimeout: 60_000 });
    try {
      await test(store, url);
    } finally {
      await store.close();
    }
  });

describe.skipIf(!server)('PostgreSQL in trouble', () => {
  const real = server as RealPostgres;

  test('while another transaction holds the lock, reads are answered and a write waits', () =>
    withPostgres(real, {}, async (database, url) => {
      const { id } = await addWorkspace(database);
      const folder = sampleFolder(id);
      await withClient(url, async (other) => {
        await other.query('begin');
        await other.query('lock table folders in exclusive mode');
        const insert = database.folders.insert(folder);
        expect(await database.folders.find(folder.id)).toBeNull();
        await other.query('rollback');
        expect(await insert).toBeNull();
      });
      expect(await database.folders.find(folder.id)).toEqual(folder);
    }));

  test('statements that exceed their time limit or wait too long for a connection fail as unavailable', () =>
    withPostgres(real, { poolSize: 1, statementTimeoutMs: 3_000, connectTimeoutMs: 1_000 }, async (database, url) => {
      const { id } = await addWorkspace(database);
      await withClient(url, async (other) => {
        await other.query('begin');
        await other.query('lock table folders in exclusive mode');
        const insert = thrownBy(database.folders.insert(sampleFolder(id)));
        expectUnavailable(await thrownBy(database.workspaces.find(id)), {
          message: 'timeout exceeded when trying to connect',
        });
        expectUnavailable(await insert, { code: '57014' });
        await other.query('rollback');
      });
      expect(await database.folders.insert(sampleFolder(id))).toBeNull();
    }));

  test('a transaction whose connection is terminated fails as unavailable, and the connection is replaced', () =>
    withStore(real, async (store, url) => {
      const cut = store.write(async (transaction) => {
        await sql`create table half (id int)`.execute(transaction);
        await withClient(url, async (other) => {
          await other.query(
            'select pg_terminate_backend(pid) from pg_stat_activity where datname = current_database() and pid <> pg_backend_pid()',
          );
        });
        await sql`select 1`.execute(transaction);
      });
      expectUnavailable(await thrownBy(cut));
      const half = await sql<{ found: string | null }>`select to_regclass('half') as found`.execute(store.reads);
      expect(half.rows).toEqual([{ found: null }]);
    }));

  test('both transactions of a deadlock succeed, one of them after a retry', () =>
    withStore(real, async (store) => {
      await store.write((trx) => sql`create table pair (id int primary key, hits int)`.execute(trx));
      await store.write((trx) => sql`insert into pair values (1, 0), (2, 0)`.execute(trx));
      const { promise: bothBegan, resolve } = Promise.withResolvers<void>();
      let begun = 0;
      const inOrder = (first: number, second: number) =>
        store.write(async (trx) => {
          await sql`update pair set hits = hits + 1 where id = ${first}`.execute(trx);
          begun += 1;
          if (begun >= 2) resolve();
          await bothBegan;
          await sql`update pair set hits = hits + 1 where id = ${second}`.execute(trx);
        });
      await Promise.all([inOrder(1, 2), inOrder(2, 1)]);
      // At least one transaction is retried. There may be more retries, because a retry can deadlock with the other
      // transaction again.
      expect(begun).toBeGreaterThanOrEqual(3);
      const { rows } = await sql`select hits from pair order by id`.execute(store.reads);
      expect(rows).toEqual([{ hits: 2 }, { hits: 2 }]);
    }));

  test('a transaction that is rolled back in every attempt finally fails as unavailable', () =>
    withStore(real, async (store) => {
      let attempts = 0;
      const undone = store.write(async (trx) => {
        attempts += 1;
        await sql`do $$ begin raise exception 'no luck' using errcode = 'serialization_failure'; end $$`.execute(trx);
      });
      expectUnavailable(await thrownBy(undone), { code: '40001' });
      expect(attempts).toBe(5);
    }));

  test('after another version changed a table, a prepared statement fails once and then succeeds', () =>
    withPostgres(real, { poolSize: 1 }, async (database, url) => {
      const workspace = await addWorkspace(database);
      const folder = await addFolder(database, workspace.id);
      expect(await database.folders.find(folder.id)).toEqual(folder);
      await runSql(url, 'alter table folders add column colour text');
      expectUnavailable(await thrownBy(database.folders.find(folder.id)), { code: '0A000' });
      expect(await database.folders.find(folder.id)).toEqual(folder);
    }));

  test('a connection that lost its prepared statements fails as unavailable once and is replaced', () =>
    withPostgres(real, { poolSize: 1 }, async (database) => {
      const workspace = await addWorkspace(database);
      const folder = await addFolder(database, workspace.id);
      expect(await database.folders.find(folder.id)).toEqual(folder);
      await sql`deallocate all`.execute(database.rows.reads);
      expectUnavailable(await thrownBy(database.folders.find(folder.id)), { code: '26000' });
      expect(await database.folders.find(folder.id)).toEqual(folder);
    }));

  test.skipIf(!server?.server)('requests to a silent server fail as unavailable after a bounded time', () =>
    // With a shorter limit, PostgreSQL ends the transaction of a test process that has to wait for a processor.
    withPostgres(real, { statementTimeoutMs: 1_000 }, async (database, url) => {
      const { id } = await addWorkspace(database);
      const name = new URL(url).pathname.slice(1);
      await real.server?.pause(name, true);
      try {
        expectUnavailable(await thrownBy(database.workspaces.find(id)), { message: 'Query read timeout' });
      } finally {
        await real.server?.pause(name, false);
      }
      expect((await database.workspaces.find(id))?.id).toBe(id);
    }),
  );

  test.skipIf(!server?.server)('requests during a restart fail as unavailable, and no committed row is lost', () =>
    withPostgres(real, {}, async (database) => {
      const { id } = await addWorkspace(database);
      const kept = new Set<string>();
      let refused = 0;
      let isOver = false;
      const client = async (): Promise<void> => {
        while (!isOver) {
          const folder = sampleFolder(id);
          try {
            expect(await database.folders.insert(folder)).toBeNull();
            kept.add(folder.id);
            expect(await database.folders.find(folder.id)).toEqual(folder);
          } catch (error) {
            expectUnavailable(error);
            refused += 1;
            await Bun.sleep(1);
          }
        }
      };
      const clients = Array.from({ length: 8 }, client);
      const untilKept = async (count: number): Promise<void> => {
        while (kept.size < count) await Bun.sleep(5);
      };
      await untilKept(20);
      await real.server?.restart();
      await untilKept(kept.size + 20);
      isOver = true;
      await Promise.all(clients);
      expect(refused).toBeGreaterThan(0);
      for (const folder of kept) expect((await database.folders.find(folder as never))?.id).toBe(folder as never);
    }),
  );
});
