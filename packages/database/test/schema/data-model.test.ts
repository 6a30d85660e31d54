import { expect, test } from 'bun:test';
import { sql } from 'kysely';
import { OWN_TABLES } from '../../src/store/tables.ts';
import { openNew, SQLITE } from '../support/dialects.ts';

const PAGE = await Bun.file(new URL('../../../../docs/data-model.md', import.meta.url)).text();

test('docs/data-model.md describes every table once', () => {
  const described = [...PAGE.matchAll(/^\| `(\w+)` +\| \S/gm)].map(([, table]) => `${table}`);
  expect(described.sort()).toEqual([...OWN_TABLES].sort());
});

test('the diagram of docs/data-model.md has every foreign key and no other', async () => {
  const drawn = [...PAGE.matchAll(/^ {2}(\w+) \|\|--o[{|] (\w+) : /gm)].map(([, one, many]) => `${one} of ${many}`);
  const { store, close } = await openNew(SQLITE);
  const { rows } = await sql<{ key: string }>`
    select distinct key."table" || ' of ' || tables.name as key
    from sqlite_schema as tables, pragma_foreign_key_list(tables.name) as key
    where tables.type = 'table'`.execute(store.reads);
  await close();
  expect(drawn.sort()).toEqual(rows.map(({ key }) => key).sort());
});
