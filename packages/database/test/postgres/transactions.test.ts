import { describe, expect, test } from 'bun:test';
import { addWorkspace, sampleFolder } from '@postshelf/testing/contracts/samples';
import { type RealPostgres, realPostgres, runSql, withClient } from '@postshelf/testing/servers/postgres';
import { sql } from 'kysely';
import { types } from 'pg';
import { type Statement, StatementGroup } from '../../src/postgres/statement-group.ts';
import { openStore, type PostgresStore } from '../../src/postgres/store.ts';
import { WaitingStatements } from '../../src/postgres/waiting-statements.ts';
import { runWithNext } from '../../src/store/run-with-next.ts';
import { thrownBy, withPostgres } from './support.ts';

const statement = (text: string, values: readonly unknown[] = []): Statement => ({ text, values, name: null });

describe('held-back statements', () => {
  const rows: readonly (readonly [string, readonly string[], readonly (readonly string[])[]])[] = [
    [
      'a transaction with one query: begin is sent with the query, commit alone',
      ['start transaction', 'read', 'commit'],
      [['start transaction', 'read']],
    ],
    [
      'writes are sent with the commit',
      ['begin', 'read', '+write', '+write', 'commit'],
      [
        ['begin', 'read'],
        ['write', 'write', 'commit'],
      ],
    ],
    [
      'a transaction of writes only is sent as one group',
      ['begin', '+write', 'commit'],
      [['begin', 'write', 'commit']],
    ],
    ['a write is sent with the next query', ['begin', '+write', 'read', 'commit'], [['begin', 'write', 'read']]],
    ['an empty transaction sends nothing', ['begin', 'commit'], []],
    ['a rolled-back transaction of writes only sends nothing', ['begin', '+write', 'rollback'], []],
    [
      'successive transactions are sent separately',
      ['begin', '+write', 'commit', 'begin', '+write', 'commit'],
      [
        ['begin', 'write', 'commit'],
        ['begin', 'write', 'commit'],
      ],
    ],
    ['statements outside a transaction are not held back', ['+write', 'read'], []],
  ];
  test.each(rows)('%s', async (_what, taken, together) => {
    const sent: string[][] = [];
    const waiting = new WaitingStatements(async (statements) => {
      sent.push(statements.map(({ text }) => text));
      return { command: 'SELECT', rowCount: 0, rows: [] };
    });
    for (const text of taken) await waiting.take(statement(text.replace('+', '')), text.startsWith('+'));
    expect(sent).toEqual(together.map((texts) => [...texts]));
  });
});

const postgres = await realPostgres('transactions in few messages');

describe.skipIf(!postgres)('over PostgreSQL', () => {
  const real = postgres as RealPostgres;

  const withStore = (test: (store: PostgresStore, url: string) => Promise<void>): Promise<void> =>
    withPostgres(real, {}, async (_database, url) => {
      await runSql(url, 'create table hits (id int primary key, count bigint)');
      const store = openStore({ url, size: 1, statementTimeout: 10_000, connectTimeout: 10_000 });
      try {
        await test(store, url);
      } finally {
        await store.close();
      }
    });

  const insert = (id: number) => sql`insert into hits values (${id}, ${id})`;
  const kept = async (store: PostgresStore): Promise<readonly unknown[]> =>
    (await sql<{ id: number; count: number }>`select * from hits order by id`.execute(store.reads)).rows;

  test('a group that fails has no effect, even without a transaction', () =>
    withStore(async (store, url) => {
      const send = (statements: readonly Statement[]) =>
        withClient(
          url,
          (client) =>
            new Promise((resolve, reject) => {
              client.query(
                new StatementGroup(statements, types as never, (error, results) =>
                  error ? reject(error) : resolve(results?.map(({ rows }) => rows)),
                ),
              );
            }),
        );
      const first = statement('insert into hits values ($1, $2)', [1, 1]);
      const failure = await thrownBy(send([first, statement('select 1 / 0'), statement('delete from media')]));
      expect(`${failure}`).toContain('division by zero');
      expect(await kept(store)).toEqual([]);
      expect(await send([first, statement('select id from hits'), statement('commit')])).toEqual([[], [{ id: 1 }], []]);
      expect(await kept(store)).toEqual([{ id: 1, count: 1 }]);
    }));

  test('a result that cannot be parsed fails its statement, and its transaction is rolled back', () =>
    withStore(async (store) => {
      const unreadable = store.transact(async (queries) => {
        await runWithNext(queries, insert(1).compile(queries));
        return (await sql`select 9223372036854775807::bigint as count`.execute(queries)).rows;
      });
      expect(await thrownBy(unreadable)).toBeInstanceOf(RangeError);
      expect(await kept(store)).toEqual([]);
    }));

  test('an error of a held-back statement rolls its transaction back, and the connection stays usable', () =>
    withStore(async (store) => {
      await store.transact((queries) => runWithNext(queries, insert(1).compile(queries)));
      const broken = store.transact(async (queries) => {
        await runWithNext(queries, insert(2).compile(queries));
        await runWithNext(queries, insert(1).compile(queries));
        // Not prepared before; the server skips it.
        await runWithNext(queries, sql`update hits set count = count + ${10}`.compile(queries));
      });
      expect(await thrownBy(broken)).toMatchObject({ code: '23505' });
      const late = store.transact(async (queries) => {
        await runWithNext(queries, insert(1).compile(queries));
        await sql`select count(*) from hits where id > ${0}`.execute(queries);
      });
      expect(await thrownBy(late)).toMatchObject({ code: '23505' });
      expect(await kept(store)).toEqual([{ id: 1, count: 1 }]);
      await store.transact(async (queries) => {
        await runWithNext(queries, sql`update hits set count = count + ${10}`.compile(queries));
        const { rows } = await sql`select count from hits where id > ${0}`.execute(queries);
        expect(rows).toEqual([{ count: 11 }]);
        await runWithNext(queries, insert(3).compile(queries));
      });
      expect(await kept(store)).toEqual([
        { id: 1, count: 11 },
        { id: 3, count: 3 },
      ]);
    }));

  test('transactions and single statements can write even if the role is read-only by default', () =>
    withPostgres(real, { poolSize: 1 }, async (database, url) => {
      const { id } = await addWorkspace(database);
      const name = new URL(url).pathname.slice(1);
      await runSql(url, `alter database "${name}" set default_transaction_read_only = on`);
      const { openPostgres } = await import('../../src/open-postgres.ts');
      const opened = await openPostgres(url, { poolSize: 1 });
      try {
        expect(await opened.folders.insert(sampleFolder(id))).toBeNull();
        expect(await opened.imports.renew([id], { owner: 'nobody', until: 1 })).toEqual(new Set());
      } finally {
        await opened.close();
      }
    }));
});
