import { describe, expect, test } from 'bun:test';
import { Refusal } from '@postshelf/domain';
import { outcomeOf } from '@postshelf/testing/outcomes';
import { sql } from 'kysely';
import type { Database } from '../../src/index.ts';
import { type Migrations, migrate } from '../../src/migrations/migrate.ts';
import { dialects, type OpenedStore, type TestDialect, withAddress } from '../support/dialects.ts';
import { openAt } from '../support/open-at.ts';

/** Runs a test with an open store and with a function that migrates it. */
const withStoreOf = (
  dialect: TestDialect,
  test: (store: OpenedStore, run: (migrations: Migrations) => Promise<readonly string[]>) => Promise<void>,
) =>
  withAddress(dialect, async (address) => {
    const store = await dialect.openStore(address);
    try {
      await test(store, (migrations) => store.write((transaction) => migrate(transaction, migrations)));
    } finally {
      await store.close();
    }
  });

/** Runs a test on a database without a schema. */
const withFreshDatabase = (dialect: TestDialect, test: (database: Database, address: string) => Promise<void>) =>
  withAddress(dialect, async (address) => {
    const database = await openAt(address);
    try {
      await test(database, address);
    } finally {
      await database.close();
    }
  });

const tablesOf = async (store: OpenedStore): Promise<string[]> =>
  (await store.reads.introspection.getTables({ withInternalKyselyTables: true })).map((table) => table.name);

const creating = (table: string): Migrations[string] => ({
  up: async (db) => void (await sql.raw(`create table ${table} (id integer)`).execute(db)),
});

describe.each(dialects)('migrating $name', (dialect) => {
  const all = Object.keys(dialect.migrations);

  test('runs all migrations on a fresh database, and none the second time', () =>
    withFreshDatabase(dialect, async (database) => {
      expect(await database.migrate()).toEqual(all);
      expect(await database.migrate()).toEqual([]);
    }));

  test('makes check() accept a new database', () =>
    withFreshDatabase(dialect, async (database) => {
      const refusal = await database.check().catch((error: unknown) => error);
      expect(refusal).toBeInstanceOf(Refusal);
      expect(refusal).toMatchObject({
        problem: { code: 'unavailable', message: expect.stringContaining(`${all[0]}`) },
      });
      await database.migrate();
      await database.check();
    }));

  test('runs new migrations in order', () =>
    withStoreOf(dialect, async (store, run) => {
      await run(dialect.migrations);
      const later = { '9999-last': creating('last_one'), ...dialect.migrations, '9998-first': creating('first_one') };
      expect(await run(later)).toEqual(['9998-first', '9999-last']);
      expect(await tablesOf(store)).toEqual(expect.arrayContaining(['first_one', 'last_one', 'media']));
    }));

  test('rolls back all migrations when one fails', () =>
    withStoreOf(dialect, async (store, run) => {
      const failing = { '1-good': creating('good'), '2-bad': { up: () => Promise.reject(new Error('no such luck')) } };
      expect(await outcomeOf(run(failing))).toThrow('no such luck');
      expect(await tablesOf(store)).toEqual([]);
      expect(await run({ '1-good': creating('good') })).toEqual(['1-good']);
    }));

  test('refuses a database of a newer program with a one-line error and leaves it unchanged', () =>
    withStoreOf(dialect, async (store, run) => {
      await run({ ...dialect.migrations, '9999-future': creating('future') });
      const before = await tablesOf(store);
      const error = await run(dialect.migrations).catch((thrown: unknown) => thrown);
      expect(error).toBeInstanceOf(Error);
      expect(`${error}`).toContain('newer Postshelf');
      expect(`${error}`).toContain('9999-future');
      expect(`${error}`).not.toContain('\n');
      expect(await tablesOf(store)).toEqual(before);
    }));
});

describe.each(dialects)("$name: a database with another program's tables", (dialect) => {
  test('is refused and left unchanged unless sharing it is explicitly allowed', () =>
    withFreshDatabase(dialect, async (database, address) => {
      const { reads } = database.rows;
      const store = await dialect.openStore(address);
      await store.write((transaction) => sql`create table invoices (id integer)`.execute(transaction));
      await store.close();
      expect(await outcomeOf(database.migrate())).toThrow(/another program \(invoices\).*--into-shared-database/);
      expect((await reads.introspection.getTables()).map(({ name }) => name)).toEqual(['invoices']);
      expect(await database.migrate(true)).toContain('1000-baseline');
      expect(await database.migrate()).toEqual([]);
    }));
});
