import { expect, test } from 'bun:test';
import { addWorkspace, NOW, sampleImage } from '@postshelf/testing/contracts/samples';
import { openSqlite } from '../../src/index.ts';
import { Sqlite } from '../../src/sqlite/connection/native.ts';
import { withFile } from '../support/scratch.ts';

test('thousands of aliases are deleted in batches before their item, not by the statement that deletes it', () =>
  withFile(async (file) => {
    const database = await openSqlite(file);
    await database.migrate();
    const { id: workspaceId } = await addWorkspace(database);
    const [one, other] = [sampleImage(workspaceId), sampleImage(workspaceId)];
    await database.media.insert([one, other]);
    const connection = new Sqlite(file);
    connection.exec(`create trigger unlike_this before delete on media
      when exists (select 1 from duplicates where media_id = old.id)
      begin select raise(abort, 'an item was removed with its aliases'); end`);
    const insert = connection.prepare(
      `with recursive numbers(n) as (select 1 union all select n + 1 from numbers where n < 1200)
      insert into duplicates select ? || n, ?, ${NOW} from numbers`,
    );
    for (const { id } of [one, other]) insert.run(id, id);
    const count = connection.prepare<[], number>('select count(*) from duplicates').pluck();

    expect(await database.media.delete(one.id)).toEqual([one.fullName]);
    expect(count.get()).toBe(1200);
    await database.workspaces.beginRemoval(workspaceId, NOW);
    const removeBatch = (): Promise<unknown> => database.workspaces.removeBatch(workspaceId, 1000, NOW);
    for (const left of [200, 0]) {
      expect(await removeBatch()).toEqual({ fullNames: [], uploads: [] });
      expect(count.get()).toBe(left);
    }
    expect(await removeBatch()).toEqual({ fullNames: [other.fullName], uploads: [] });
    expect(await removeBatch()).toBeNull();
    connection.close();
    await database.close();
  }));
