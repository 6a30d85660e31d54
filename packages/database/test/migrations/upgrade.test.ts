import { describe, expect, test } from 'bun:test';
import { createHash } from 'node:crypto';
import { sql } from 'kysely';
import { type Migrations, migrate } from '../../src/migrations/migrate.ts';
import { fillLibrary } from '../copy/library.ts';
import { dialects, openNew, SQLITE } from '../support/dialects.ts';
import { schemaOf } from '../support/schema.ts';

/**
 * The hash of the schema of SQLite databases after the newest migration. Once that migration is released, users'
 * databases have this schema, so a later change needs a new migration.
 */
const FROZEN = '58ced64ac6ba1d42';

test('the schema of SQLite equals the released one', async () => {
  const { store, close } = await openNew(SQLITE);
  const schema = await schemaOf(SQLITE.name, store.reads);
  await close();
  expect(createHash('sha256').update(JSON.stringify(schema)).digest('hex').slice(0, 16)).toBe(FROZEN);
});

describe.each(dialects)('an upgrade with $name', (dialect) => {
  test('runs a later migration on a filled library, keeps its rows and emits no events', async () => {
    const { one, store, close } = await openNew(dialect);
    try {
      await fillLibrary(one, 10, 10);
      const names = async () =>
        (await store.reads.selectFrom('media').select('name').orderBy('id').execute()).map(({ name }) => name);
      const before = await names();
      expect(before.length).toBeGreaterThan(10);
      const next: Migrations = {
        ...dialect.migrations,
        '9000-next': {
          up: async (db) => {
            await sql`create table later (id integer)`.execute(db);
            await sql`update media set label = 'migrated' where cover_of is null`.execute(db);
          },
        },
      };
      expect(await store.write((transaction) => migrate(transaction, next))).toEqual(['9000-next']);
      expect(await names()).toEqual(before);
      expect(await store.reads.selectFrom('media').select('id').where('label', '=', 'migrated').execute()).not.toEqual(
        [],
      );
      expect(await store.reads.selectFrom('resource_changes').selectAll().execute()).toEqual([]);
    } finally {
      await close();
    }
  });
});
