import { expect, test } from 'bun:test';
import { openSqlite } from '../../src/index.ts';
import { mayHaveLargeLists } from '../../src/search/sqlite/fill-search-index.ts';
import { Sqlite } from '../../src/sqlite/connection/native.ts';
import { withFile } from '../support/scratch.ts';

test('mayHaveLargeLists reads at most a few thousand counts, and assumes large lists beyond that', () =>
  withFile(async (file) => {
    const database = await openSqlite(file);
    await database.migrate();
    await database.close();
    const connection = new Sqlite(file);
    const insert = connection.prepare(
      `with recursive folders(n) as (select 1 union all select n + 1 from folders where n < ?)
      insert into media_counts select ?, cast(n as text), 'active', 'image', ? from folders`,
    );
    const add = (workspace: string, folders: number, items: number) => insert.run(folders, workspace, items);
    expect(mayHaveLargeLists(connection)).toBe(false);
    add('many folders', 5000, 1);
    expect(mayHaveLargeLists(connection)).toBe(false);
    add('one more', 1, 1);
    expect(mayHaveLargeLists(connection)).toBe(true);
    connection.exec('delete from media_counts');
    add('many items', 1, 5001);
    expect(mayHaveLargeLists(connection)).toBe(true);
    connection.close();
  }));
