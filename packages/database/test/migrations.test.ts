import { describe, expect, test } from 'bun:test';
import { Refusal } from '@postshelf/domain';
import { sql } from 'kysely';
import { type Migrations, migrate } from '../src/migrations/migrate.ts';
import { SQLITE_MIGRATIONS } from '../src/migrations/sqlite/index.ts';
import { openStore, type SqliteStore } from '../src/sqlite/store.ts';
import { withDatabase, withFile } from './scratch.ts';

const ALL = Object.keys(SQLITE_MIGRATIONS);

/** Runs a test on a store that is open, and how to migrate it. */
const withStore = (
  test: (store: SqliteStore, run: (migrations: Migrations) => Promise<readonly string[]>) => Promise<void>,
) =>
  withFile(async (file) => {
    const store = await openStore(file, 1000);
    try {
      await test(store, (migrations) => store.transact((transaction) => migrate(transaction, migrations)));
    } finally {
      await store.close();
    }
  });

const tablesOf = async (store: SqliteStore): Promise<string[]> =>
  (await store.reads.introspection.getTables({ withInternalKyselyTables: true })).map((table) => table.name);

const creating = (table: string): Migrations[string] => ({
  up: async (db) => void (await sql.raw(`create table ${table} (id integer)`).execute(db)),
});

describe('migrating', () => {
  test('a fresh database runs all, and a second time none', () =>
    withDatabase(
      async (database) => {
        expect(await database.migrate()).toEqual(ALL);
        expect(await database.migrate()).toEqual([]);
      },
      { migrated: false },
    ));

  test('the database is ready once it is migrated', () =>
    withDatabase(
      async (database) => {
        const refusal = await database.check().catch((error: unknown) => error);
        expect(refusal).toBeInstanceOf(Refusal);
        expect(refusal).toMatchObject({
          problem: { code: 'unavailable', message: expect.stringContaining(`${ALL[0]}`) },
        });
        await database.migrate();
        await database.check();
      },
      { migrated: false },
    ));

  test('runs what a later program brings, in order', () =>
    withStore(async (store, run) => {
      await run(SQLITE_MIGRATIONS);
      const later = { '9999-last': creating('last_one'), ...SQLITE_MIGRATIONS, '9998-first': creating('first_one') };
      expect(await run(later)).toEqual(['9998-first', '9999-last']);
      expect(await tablesOf(store)).toEqual(expect.arrayContaining(['first_one', 'last_one', 'media']));
    }));

  test('leaves nothing of those that ran when one fails', () =>
    withStore(async (store, run) => {
      const failing = { '1-good': creating('good'), '2-bad': { up: () => Promise.reject(new Error('no such luck')) } };
      await expect(run(failing)).rejects.toThrow('no such luck');
      expect(await tablesOf(store)).toEqual([]);
      expect(await run({ '1-good': creating('good') })).toEqual(['1-good']);
    }));

  test('a database of a newer program is refused with one line, and left alone', () =>
    withStore(async (store, run) => {
      await run({ ...SQLITE_MIGRATIONS, '9999-future': creating('future') });
      const before = await tablesOf(store);
      const error = await run(SQLITE_MIGRATIONS).catch((thrown: unknown) => thrown);
      expect(error).toBeInstanceOf(Error);
      expect(`${error}`).toContain('newer Postshelf');
      expect(`${error}`).toContain('9999-future');
      expect(`${error}`).not.toContain('\n');
      expect(await tablesOf(store)).toEqual(before);
    }));
});
