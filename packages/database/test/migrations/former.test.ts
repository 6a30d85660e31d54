import { describe, expect, test } from 'bun:test';
import { join } from 'node:path';
import { BackupError } from '@postshelf/domain';
import { outcomeOf } from '@postshelf/testing/outcomes';
import { sql } from 'kysely';
import { restoreSqlite } from '../../src/index.ts';
import { type Migrations, migrate } from '../../src/migrations/migrate.ts';
import { Sqlite } from '../../src/sqlite/connection/native.ts';
import { OWN_TABLES } from '../../src/store/tables.ts';
import { dialects, type OpenedStore, SQLITE, withAddress } from '../support/dialects.ts';
import { makeFormer } from '../support/former.ts';
import { openAt } from '../support/open-at.ts';
import { schemaOf } from '../support/schema.ts';
import { scratchFolder } from '../support/scratch.ts';

const LATER = ['jobs', 'job_turns', 'archives'];

/** The tables of the baseline. */
const TABLES = [...OWN_TABLES.filter((table) => !LATER.includes(table)), 'imports', 'fits', 'covers_due'];

/** Returns all rows of the baseline tables. Leaves out `media.search_number`, which the search index sets. */
async function contentsOf({ reads }: OpenedStore): Promise<Readonly<Record<string, readonly unknown[]>>> {
  const tables = TABLES.map(async (table) => {
    const { rows } = await sql<Record<string, unknown>>`select * from ${sql.table(table)}`.execute(reads);
    const texts = rows.map(({ search_number: _, ...row }) => JSON.stringify(row));
    return [table, texts.sort()] as const;
  });
  return Object.fromEntries(await Promise.all(tables));
}

const ranIn = async ({ reads }: OpenedStore): Promise<readonly string[]> =>
  (await sql<{ name: string }>`select name from kysely_migration order by name`.execute(reads)).rows.map(
    ({ name }) => name,
  );

const DIALECTS = dialects.map((dialect) => [dialect.name, dialect] as const);

describe.each(DIALECTS)('%s: a library of the last release before 1.0', (_, dialect) => {
  /** Runs a test with a library that the last release before 1.0 wrote, opened as a store. */
  const withFormer = (run: (store: OpenedStore, address: string) => Promise<void>): Promise<void> =>
    withAddress(dialect, async (address) => {
      await makeFormer(dialect, address);
      const store = await dialect.openStore(address);
      try {
        await run(store, address);
      } finally {
        await store.close();
      }
    });

  test('becomes a baseline library with all its rows and the schema of a new library', () =>
    withFormer(async (store, address) => {
      const before = await contentsOf(store);
      expect(before.media?.length).toBe(20);
      const database = await openAt(address);
      const [baseline = '', ...later] = Object.keys(dialect.migrations);
      expect(await database.migrations()).toEqual({ isNew: false, pending: [baseline, ...later] });
      const first = { [baseline]: dialect.migrations[baseline] ?? {} } as Migrations;
      expect(await store.write((transaction) => migrate(transaction, first))).toEqual([baseline]);
      expect(await contentsOf(store)).toEqual(before);
      expect(await database.migrate()).toEqual(later);
      expect(await database.migrate()).toEqual([]);
      await database.check();
      expect(await ranIn(store)).toEqual([baseline, ...later]);
      const jobs = await store.reads.selectFrom('jobs').select('kind').where('kind', '=', 'import').execute();
      expect(jobs).toHaveLength(before.imports?.length ?? 0);
      const [workspace] = await database.workspaces.list();
      expect(workspace && (await database.media.list(workspace.id, {}, { offset: 0, limit: 1 })).total).toBeGreaterThan(
        0,
      );
      await database.close();
      await withAddress(dialect, async (other) => {
        const fresh = await openAt(other);
        await fresh.migrate();
        await fresh.close();
        const freshStore = await dialect.openStore(other);
        expect(await schemaOf(dialect.name, store.reads)).toEqual(await schemaOf(dialect.name, freshStore.reads));
        await freshStore.close();
      });
    }));

  test('gets defaults for fields that are missing in rows of earlier releases', () =>
    withFormer(async (store, address) => {
      const { rows } = await sql<{ id: string }>`select id from workspaces order by id limit 1`.execute(store.reads);
      const workspace = rows[0]?.id ?? '';
      const id = (digit: string | null | undefined) => `'00000000-0000-7000-8000-00000000000${digit}'`;
      const older = [
        `update workspaces set removal_begun_at = 5 where id = '${workspace}'`,
        `delete from removals`,
        `insert into removals values (${id('8')}, 1, 2, '{"rows":3,"objects":4}')`,
        `delete from audit`,
        `insert into audit (id, at, action, counts) values (${id('9')}, 1, 'workspaces.deleted', '{"rows":3}')`,
        `delete from events`,
        ...[
          ['1', 'media.updated', '{"row":{"id":"i"},"cover":{"id":"c","version":7}}'],
          ['2', 'media.active', '{"row":{"id":"i","version":4},"cover":null}'],
          ['3', 'folder.updated', '{"row":{"id":"f"}}'],
          ['4', 'post.deleted', null],
          ['5', 'workspace.quota_warning', '{"bytes":8}'],
        ].map(
          ([digit, type, data]) =>
            `insert into events (id, workspace_id, resource_id, type, at, data) values
              (${id(digit)}, '${workspace}', ${id('7')}, '${type}', 1, ${data === null ? 'null' : `'${data}'`})`,
        ),
      ];
      await store.write(async (queries) => {
        for (const statement of older) await sql.raw(statement).execute(queries);
      });
      const database = await openAt(address);
      await database.migrate();
      await database.close();
      const column = async (query: string) => {
        const { rows } = await sql.raw<{ json: string | null }>(query).execute(store.reads);
        return rows.map(({ json }) => (json === null ? null : JSON.parse(json)));
      };
      const none = { rows: 0, objects: 0, previews: 0, events: 0, webhooks: 0, tokens: 0, people: 0, sessions: 0 };
      expect(await column('select counts as json from removals order by begun_at')).toEqual([
        { ...none, rows: 3, objects: 4 },
        none,
      ]);
      expect(await column('select counts as json from audit')).toEqual([{ people: 0, rows: 3 }]);
      expect(await column('select data as json from events order by id')).toEqual([
        { row: { id: 'i', version: 1 }, cover: { id: 'c', version: 7 } },
        { row: { id: 'i', version: 4 }, cover: null },
        { row: { id: 'f', version: 1 } },
        null,
        { bytes: 8, trashBytes: 0, trashItems: 0 },
      ]);
    }));

  test('is unchanged when a later migration fails', () =>
    withFormer(async (store) => {
      const state = async () => [
        await schemaOf(dialect.name, store.reads),
        await ranIn(store),
        await contentsOf(store),
      ];
      const before = await state();
      const failing: Migrations = {
        ...dialect.migrations,
        '9000-failing': { up: () => Promise.reject(new Error('This migration fails.')) },
      };
      expect(await outcomeOf(store.write((transaction) => migrate(transaction, failing)))).toThrow(
        'This migration fails.',
      );
      expect(await state()).toEqual(before);
    }));

  test('is refused and left unchanged if some of its migrations have not run', () =>
    withFormer(async (store, address) => {
      await store.write((queries) => sql`delete from kysely_migration where name = '0038-best-times'`.execute(queries));
      const before = [await schemaOf(dialect.name, store.reads), await ranIn(store)];
      const database = await openAt(address);
      const sentence =
        'of a version before 1.0 (its last migration is 0037-spellings): migrate it with the program of commit 584d606f49c4 first';
      expect(await outcomeOf(database.migrate())).toThrow(sentence);
      expect(await outcomeOf(database.migrations())).toThrow(sentence);
      await database.close();
      expect([await schemaOf(dialect.name, store.reads), await ranIn(store)]).toEqual(before);
    }));
});

describe('a backup of the last release before 1.0', () => {
  /** Restores a backup of a former library after running the statements on it. Returns the error if restoring fails. */
  async function restoreAfter(statements: readonly string[], check: (place: string) => Promise<void> = async () => {}) {
    const folder = await scratchFolder();
    try {
      const file = join(folder.path, 'former.db');
      await makeFormer(SQLITE, file);
      const database = new Sqlite(file);
      for (const statement of statements) database.exec(statement);
      database.close();
      const place = join(folder.path, 'place.db');
      const restore = restoreSqlite(place);
      try {
        await restore.receive(Bun.file(file).stream());
        await restore.open();
        await restore.commit();
      } catch (error) {
        await restore.discard();
        return error;
      }
      await check(place);
      return null;
    } finally {
      await folder.remove();
    }
  }

  test('is restored as a baseline library', async () => {
    const outcome = await restoreAfter([], async (place) => {
      const database = await openAt(place);
      expect(await database.migrations()).toEqual({ isNew: false, pending: [] });
      expect((await database.workspaces.list()).length).toBe(2);
      await database.close();
    });
    expect(outcome).toBeNull();
  });

  test('is refused if some of its migrations had not run', async () => {
    const error = await restoreAfter(["delete from kysely_migration where name = '0038-best-times'"]);
    expect(error).toBeInstanceOf(BackupError);
    expect(String(error)).toContain('migrate it with the program of commit 584d606f49c4 first');
  });

  test('is refused if it has an extra trigger', async () => {
    const error = await restoreAfter(['create trigger t after insert on media begin delete from tokens; end']);
    expect(error).toBeInstanceOf(BackupError);
    expect(String(error)).toContain('trigger t');
  });

  test('never executes a hostile trigger with the name of a former one', async () => {
    const hostile = [
      'drop trigger media_version',
      'create trigger media_version after delete on kysely_migration begin delete from tokens; end',
    ];
    const outcome = await restoreAfter(hostile, async (place) => {
      const database = await openAt(place);
      expect((await database.tokens.list()).length).toBe(2);
      await database.close();
    });
    expect(outcome).toBeNull();
  });
});
