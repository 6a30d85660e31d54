import { describe, expect, test } from 'bun:test';
import { addWorkspace, sampleFolder } from '@postshelf/testing/contracts/samples';
import { thrownBy } from '@postshelf/testing/outcomes';
import { type RealPostgres, realPostgres, runSql } from '@postshelf/testing/servers/postgres';
import { sql } from 'kysely';
import { openPostgres } from '../../src/open-postgres.ts';
import { openStore, type PostgresStore } from '../../src/postgres/store.ts';
import { withPostgres } from './support.ts';

const postgres = await realPostgres('transactions');

describe.skipIf(!postgres)('PostgreSQL transactions', () => {
  const real = postgres as RealPostgres;

  const withStore = (test: (store: PostgresStore, url: string) => Promise<void>): Promise<void> =>
    withPostgres(real, {}, async (_database, url) => {
      await runSql(url, 'create table hits (id int primary key, count bigint)');
      const store = openStore({ url, size: 1, statementTimeout: 60_000, connectTimeout: 60_000 });
      try {
        await test(store, url);
      } finally {
        await store.close();
      }
    });

  const insert = (id: number) => sql`insert into hits values (${id}, ${id})`;
  const kept = async (store: PostgresStore): Promise<readonly unknown[]> =>
    (await sql<{ id: number; count: number }>`select * from hits order by id`.execute(store.reads)).rows;

  test('roll back when a result cannot be parsed', () =>
    withStore(async (store) => {
      const unreadable = store.write(async (queries) => {
        await insert(1).execute(queries);
        return (await sql`select 9223372036854775807::bigint as count`.execute(queries)).rows;
      });
      expect(await thrownBy(unreadable)).toBeInstanceOf(RangeError);
      expect(await kept(store)).toEqual([]);
    }));

  test('roll back on a statement error and leave the connection usable', () =>
    withStore(async (store) => {
      await store.write((queries) => insert(1).execute(queries));
      const broken = store.write(async (queries) => {
        await insert(2).execute(queries);
        await insert(1).execute(queries);
      });
      expect(await thrownBy(broken)).toMatchObject({ code: '23505' });
      await store.write((queries) => insert(3).execute(queries));
      expect(await kept(store)).toEqual([
        { id: 1, count: 1 },
        { id: 3, count: 3 },
      ]);
    }));

  test('can write even if the role is read-only by default, as can single statements', () =>
    withPostgres(real, { poolSize: 1 }, async (database, url) => {
      const { id } = await addWorkspace(database);
      const name = new URL(url).pathname.slice(1);
      await runSql(url, `alter database "${name}" set default_transaction_read_only = on`);
      const opened = await openPostgres(url, { poolSize: 1 });
      try {
        expect(await opened.folders.insert(sampleFolder(id))).toBeNull();
        expect(await opened.jobs.renew('import', [id], { owner: 'nobody', until: 1 })).toEqual(new Set());
      } finally {
        await opened.close();
      }
    }));
});
