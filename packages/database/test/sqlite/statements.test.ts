import { expect, test } from 'bun:test';
import type { SqliteDatabase, SqliteStatement } from 'kysely';
import { StatementCache } from '../../src/sqlite/connection/statements.ts';

/** Returns an object that records which statements are prepared. */
function recorder() {
  const prepared: string[] = [];
  const statement: SqliteStatement = {
    reader: true,
    all: (parameters) => [...parameters],
    run: () => ({ changes: 0, lastInsertRowid: 0 }),
    iterate: () => [].values(),
  };
  const database: SqliteDatabase = {
    prepare(sql) {
      prepared.push(sql);
      return statement;
    },
    close: () => {},
  };
  return { prepared, database };
}

test('a statement is prepared only once', () => {
  const { prepared, database } = recorder();
  const cache = new StatementCache(database);
  expect(cache.prepare('a')).toBe(cache.prepare('a'));
  expect(cache.prepare('a').all([1])).toEqual([1]);
  expect(prepared).toEqual(['a']);
});

test('the least recently used statement is evicted when there are too many', () => {
  const { prepared, database } = recorder();
  const cache = new StatementCache(database, 2);
  for (const sql of ['a', 'b', 'a', 'c', 'a', 'b', 'c']) cache.prepare(sql);
  expect(prepared).toEqual(['a', 'b', 'c', 'b', 'c']);
});
