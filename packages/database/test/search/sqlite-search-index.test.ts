import { expect, test } from 'bun:test';
import { join } from 'node:path';
import type { Uuid } from '@postshelf/domain';
import { addWorkspace, NOW, sampleImage } from '@postshelf/testing/contracts/samples';
import { copyDatabase, type Database, openSqlite } from '../../src/index.ts';
import { mediaToRow } from '../../src/media/media-rows.ts';
import { searchWords } from '../../src/search/search-key.ts';
import { SQLITE } from '../../src/sqlite/connection/dialect.ts';
import { Sqlite } from '../../src/sqlite/connection/native.ts';
import { blocksOf } from '../../src/store/blocks.ts';
import { scratchFolder } from '../support/scratch.ts';

const never = new AbortController().signal;
const MANY = 5_100;

/** Runs a test on a library that is large enough for a search index. */
async function withIndexed(
  use: (database: Database, folder: string, workspaceId: Uuid) => Promise<void>,
): Promise<void> {
  const { path, remove } = await scratchFolder();
  const database = await openSqlite(join(path, 'postshelf.db'));
  try {
    await database.migrate();
    const { id } = await addWorkspace(database);
    const items = Array.from({ length: MANY }, (_, n) => sampleImage(id, { name: `IMG_${n}.jpg` }));
    for (const block of blocksOf(items)) {
      await database.rows.write((transaction) =>
        transaction
          .insertInto('media')
          .values(block.map((item) => mediaToRow(item, [])))
          .execute(),
      );
    }
    expect(await database.keepSearchIndex(never)).toEqual({ entries: MANY, obstacle: null });
    await use(database, path, id);
  } finally {
    await database.close();
    await remove();
  }
}

/** Returns the number of hits of a search, after checking that they come from the index. */
async function countOf({ media, rows }: Database, workspaceId: Uuid, search: string): Promise<number> {
  const hits = await SQLITE.searchIndex.find(rows.reads, workspaceId, searchWords(search), MANY);
  const { total } = await media.list(workspaceId, { search }, { offset: 0, limit: 1 });
  expect(hits?.total).toBe(total);
  return total;
}

test('the search index survives VACUUM and backups, is rebuilt after a copy and deleted with its workspace', () =>
  withIndexed(async (database, folder, workspaceId) => {
    const file = join(folder, 'postshelf.db');
    const [gone] = (await database.media.list(workspaceId, { search: 'IMG_77.' }, { offset: 0, limit: 1 })).items;
    if (gone) await database.media.delete(gone.item.id);
    const vacuum = new Sqlite(file);
    vacuum.exec('vacuum');
    vacuum.close();
    expect(await countOf(database, workspaceId, 'img_77')).toBe(10);
    expect(await database.keepSearchIndex(never)).toEqual({ entries: 1, obstacle: null });
    expect(await countOf(database, workspaceId, 'img_77')).toBe(10);

    const backup = await database.backups?.copyTo(join(folder, 'backup.db'));
    const opened = await openSqlite(join(folder, 'backup.db'));
    expect(await countOf(opened, workspaceId, 'img_77')).toBe(10);
    await opened.close();
    await backup?.discard();

    const copy = await openSqlite(join(folder, 'copy.db'));
    expect(await copyDatabase(database, copy)).toMatchObject({ problems: 0 });
    expect((await copy.media.list(workspaceId, { search: 'img_77' }, { offset: 0, limit: 1 })).total).toBe(10);
    await copy.keepSearchIndex(never);
    expect(await countOf(copy, workspaceId, 'img_77')).toBe(10);

    await copy.workspaces.beginRemoval(workspaceId, 0);
    while ((await copy.workspaces.removeBatch(workspaceId, 1000, NOW)) !== null);
    expect(await copy.keepSearchIndex(never)).toEqual({ entries: MANY - 1, obstacle: null });
    await copy.close();
    const left = new Sqlite(join(folder, 'copy.db'), { readonly: true });
    const entries = left.prepare<[], { left: number }>(
      `select (select count(*) from media_search where media_search match '"img"')
        + (select count(*) from media_search_short where media_search_short match '"x69"')
        + (select count(*) from media_search_removed) + (select count(*) from media_search_scopes) as left`,
    );
    expect(entries.get()).toEqual({ left: 0 });
    expect(left.pragma('integrity_check', { simple: true })).toBe('ok');
    left.close();
  }));

test('concurrent updates of the search index insert nothing twice', () =>
  withIndexed(async (database, folder, workspaceId) => {
    const other = await openSqlite(join(folder, 'postshelf.db'));
    const added = Array.from({ length: 600 }, (_, n) => sampleImage(workspaceId, { name: `New_${n}.jpg` }));
    for (const block of blocksOf(added)) {
      await database.rows.write((transaction) =>
        transaction
          .insertInto('media')
          .values(block.map((item) => mediaToRow(item, [])))
          .execute(),
      );
    }
    expect(await countOf(database, workspaceId, 'new_')).toBe(600);
    const reports = await Promise.all([database.keepSearchIndex(never), other.keepSearchIndex(never)]);
    while ((await database.keepSearchIndex(never)).entries > 0);
    expect(reports.reduce((sum, { entries }) => sum + entries, 0)).toBeLessThanOrEqual(600);
    expect(await countOf(other, workspaceId, 'new_')).toBe(600);
    await other.close();
  }));
