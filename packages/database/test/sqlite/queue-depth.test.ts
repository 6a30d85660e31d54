import { expect, test } from 'bun:test';
import { openSqlite } from '../../src/index.ts';
import { Sqlite } from '../../src/sqlite/connection/native.ts';
import { withFile } from '../support/scratch.ts';

test('queues of more than some thousand jobs are counted by a scan', () =>
  withFile(async (file) => {
    const database = await openSqlite(file);
    await database.migrate();
    let scans = 0;
    database.shareScans(async () => {
      scans += 1;
      return () => undefined;
    });
    const connection = new Sqlite(file);
    connection.pragma('foreign_keys = off');
    const add = connection.prepare(
      `with recursive numbers(n) as (select 1 union all select n + 1 from numbers where n < ?)
      insert into previews (media_id, due_at) select ? || n, n from numbers`,
    );
    add.run(5000, 'some');
    expect(await database.previews.depth()).toBe(5000);
    expect(scans).toBe(0);
    add.run(1, 'more');
    expect(await database.previews.depth()).toBe(5001);
    expect(scans).toBe(1);
    expect(await database.imports.depth()).toEqual({ jobs: 0, oldest: null });
    connection.close();
    await database.close();
  }));
