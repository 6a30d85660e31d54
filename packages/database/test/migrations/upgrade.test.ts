import { describe, expect, test } from 'bun:test';
import { copyFile, readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { parseUuid, type Uuid } from '@postshelf/domain';
import { openSqlite } from '../../src/index.ts';
import { SQLITE_MIGRATIONS } from '../../src/migrations/sqlite/index.ts';
import { Sqlite } from '../../src/sqlite/native.ts';
import { withFile } from '../support/scratch.ts';

const RELEASED = join(import.meta.dir, '../released');
const MIGRATIONS = Object.keys(SQLITE_MIGRATIONS);
const released = (await readdir(RELEASED)).filter((name) => name.endsWith('.db')).sort();

type Rows = Readonly<Record<string, readonly Readonly<Record<string, unknown>>[]>>;

/** Every row of every table, but for the list of migrations. */
function contents(file: string): Rows {
  const database = new Sqlite(file, { readonly: true });
  try {
    const tables = database
      .prepare<[], { name: string }>(
        "select name from sqlite_schema where type = 'table' and name not like 'kysely%' order by name",
      )
      .all();
    return Object.fromEntries(
      tables.map(({ name }) => [
        name,
        database.prepare<[], Record<string, unknown>>(`select * from ${name} order by 1, 2`).all(),
      ]),
    );
  } finally {
    database.close();
  }
}

const problemsOf = (file: string): readonly unknown[] => {
  const database = new Sqlite(file, { readonly: true });
  const problems = [
    database.pragma('integrity_check', { simple: true }),
    ...[database.pragma('foreign_key_check')].flat(),
  ];
  database.close();
  return problems;
};

const uuid = (value: unknown): Uuid => {
  const id = parseUuid(value);
  if (id === null) throw new Error(`${value} is no UUID.`);
  return id;
};

test('there is a database of every state before the present one', () => {
  const states = released.map((name) => name.replace('.db', ''));
  expect(states).toEqual(expect.arrayContaining(MIGRATIONS.slice(0, -1)));
  expect(MIGRATIONS).toEqual(expect.arrayContaining(states));
});

describe.each(released)('the upgrade of %s', (name) => {
  const after = MIGRATIONS.slice(MIGRATIONS.indexOf(name.replace('.db', '')) + 1);

  test('runs what came later, and keeps every value', () =>
    withFile(async (file) => {
      await copyFile(join(RELEASED, name), file);
      const before = contents(file);
      expect(before.media?.length).toBeGreaterThan(3);
      const database = await openSqlite(file);
      expect(await database.migrate()).toEqual(after);
      await database.check();
      expect(await database.migrate()).toEqual([]);
      await database.close();
      expect(contents(file)).toMatchObject(before);
      expect(problemsOf(file)).toEqual(['ok']);
    }));

  test('gives a database that this program works with', () =>
    withFile(async (file) => {
      await copyFile(join(RELEASED, name), file);
      const before = contents(file);
      const database = await openSqlite(file);
      await database.migrate();
      const [workspace] = await database.workspaces.list();
      expect(workspace).toMatchObject({ name: 'Café', timezone: 'Europe/Berlin' });
      for (const row of before.media ?? []) {
        expect((await database.media.find(uuid(row.id)))?.item).toMatchObject({
          status: row.status,
          fullName: row.full_name,
        });
      }
      for (const row of before.folders ?? []) {
        expect(await database.folders.find(uuid(row.id))).toMatchObject({ name: row.name, parentId: row.parent_id });
      }
      for (const row of before.imports ?? []) {
        expect((await database.imports.renew([uuid(row.media_id)], { owner: 'host 1', until: Date.now() })).size).toBe(
          row.lease_owner === null ? 0 : 1,
        );
      }
      for (const row of before.presigned_uploads ?? []) {
        expect(await database.presign.find(uuid(row.media_id))).toMatchObject({ size: row.size, type: row.type });
      }
      const [token] = await database.tokens.list();
      expect(token).toMatchObject({
        name: 'CI',
        scopes: ['media:read'],
        workspaceIds: [workspace?.id, expect.any(String)],
      });
      await database.close();
    }));
});
