import { describe, expect, test } from 'bun:test';
import { createHash } from 'node:crypto';
import { parseUuid, type Uuid } from '@postshelf/domain';
import { openSqlite } from '../../src/index.ts';
import { SQLITE_MIGRATIONS } from '../../src/migrations/sqlite/index.ts';
import { Sqlite } from '../../src/sqlite/connection/native.ts';
import { makeReleased, RELEASED } from '../support/released.ts';
import { withFile } from '../support/scratch.ts';

const MIGRATIONS = Object.keys(SQLITE_MIGRATIONS);

/** The hash of the schema after each migration. Frozen, since users' databases have these schemas. */
const FROZEN: Readonly<Record<string, string>> = {
  '0001-library': 'e1179cf3043614ec',
  '0002-imports': '04ebd5fc13b388ea',
  '0003-presigned': '7d8d1159f33c4288',
  '0004-posts': 'b80282dd61678d87',
  '0005-counts': 'b68b8ac3cd7b0920',
  '0006-library-id': 'b3f6653b62f6e238',
  '0007-object-checks': 'f3f4da7e5b641c89',
  '0008-removals': '778cd0ae56d01622',
  '0009-covers-due': 'b331d70204d21e08',
  '0010-media-details': 'dfa317301a86ceca',
  '0011-duplicates': 'ff6c01c5475e6bff',
  '0012-repeats': '1af6913b16859694',
  '0013-location': '390d00e3e78fa998',
  '0014-previews': 'bc35c99fca1e861b',
  '0015-fits': 'b5a6fbd31fa0d9b9',
  '0016-sessions': 'fe49fda8d26f2d8f',
  '0017-large-lists': '1d1a55b2e2f2e31d',
  '0018-post-days': 'b3144f98987d16b0',
  '0019-larger-lists': '00626c8be743c19d',
  '0020-fence': '0efbae07372223f7',
  '0021-import-requests': '77e69cfa948463ae',
  '0022-events': 'a04ad92c003cb76e',
  '0023-webhooks': 'f2338e6f737eee07',
  '0024-listening': '15f648649fa9fe62',
  '0025-doctor': '96116a3f51d104a8',
  '0026-quotas': 'c0b2ba8df0dd57bd',
  '0027-links': '8f9edecc8724a783',
  '0028-operator': '3b25cee79573d516',
  '0029-audit': '502b2c75bd10b01c',
  '0030-people': '28509d62ba4b6bdc',
  '0031-versions': '11bd5ee8caecb8ef',
  '0032-search': '551db1296ac786eb',
  '0033-trash': 'a655e4983cd7470e',
  '0034-resumable': '761370300984f377',
  '0035-planned-posts': '761370300984f377',
  '0036-calendars': 'd67e76c29f8e1e52',
  '0037-spellings': '512e5b3f8e14a81a',
};

const schemaOf = (file: string): string => {
  const database = new Sqlite(file, { readonly: true });
  const rows = database
    .prepare("select name, sql from sqlite_schema where name not like 'kysely%' order by name")
    .all();
  database.close();
  return createHash('sha256').update(JSON.stringify(rows)).digest('hex').slice(0, 16);
};

/** What migration 0037 spells differently. */
const withoutSpellings = (rows: Rows): Rows =>
  Object.fromEntries(
    Object.entries(rows).map(([table, all]) => [table, all.map(({ search_key: _, timezone: __, ...row }) => row)]),
  );

type Rows = Readonly<Record<string, readonly Readonly<Record<string, unknown>>[]>>;

/** Every row of every table, except migrations, the search index, whose rows can't be read, and sums that were dropped. */
function contents(file: string): Rows {
  const database = new Sqlite(file, { readonly: true });
  try {
    const tables = database
      .prepare<[], { name: string }>(
        "select name from sqlite_schema where type = 'table' and name not like 'kysely%' and name not like 'media_search%' and name <> 'engagement_days' order by name",
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
  if (id === null) throw new Error(`${value} is not a UUID.`);
  return id;
};

describe.each(RELEASED)('the upgrade of %s', (name) => {
  const after = MIGRATIONS.slice(MIGRATIONS.indexOf(name) + 1);

  test('runs the later migrations, keeps every value, and results in a database that this program can use', () =>
    withFile(async (file) => {
      await makeReleased(name, file);
      expect(schemaOf(file)).toBe(`${FROZEN[name]}`);
      const before = contents(file);
      expect(before.media?.length).toBeGreaterThan(3);
      const database = await openSqlite(file);
      expect(await database.migrate()).toEqual(after);
      await database.check();
      expect(await database.migrate()).toEqual([]);
      expect(contents(file)).toMatchObject(withoutSpellings(before));
      expect(problemsOf(file)).toEqual(['ok']);
      const [workspace] = await database.workspaces.list();
      expect(workspace).toMatchObject({ name: 'Café', timezone: 'Europe/Berlin' });
      if (after.includes('0037-spellings')) {
        expect((await database.workspaces.list()).map(({ timezone }) => timezone)).toContain('US/Pacific');
        const found = await database.media.list(uuid(workspace?.id), { search: 'ete' }, { offset: 0, limit: 1 });
        expect(found.total).toBeGreaterThan(2);
      }
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
