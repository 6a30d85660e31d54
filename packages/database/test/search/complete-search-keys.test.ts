import { describe, expect, test } from 'bun:test';
import { addWorkspace, NOW, sampleImage } from '@postshelf/testing/contracts/samples';
import { completeSearchKeys } from '../../src/media/complete-search-keys.ts';
import { dialects, openNew } from '../support/dialects.ts';

describe.each(dialects)('search keys over $name', (dialect) => {
  test('get tags and alt text that a process of an earlier version writes, and are left alone otherwise', async () => {
    const opened = await openNew(dialect);
    const { one, store } = opened;
    try {
      const { id } = await addWorkspace(one);
      const [item, other, fitted] = [
        sampleImage(id, { name: 'name.jpg' }),
        sampleImage(id),
        sampleImage(id, { altText: 'fitted' }),
      ] as const;
      await one.media.insert([item, other, fitted]);
      await one.media.update(other.id, { altText: 'Boat', tags: ['Red', 'blue'] }, NOW);
      await one.media.update(other.id, { tags: ['blue'] }, NOW);
      await one.media.update(other.id, { altText: null, tags: [] }, NOW);
      await one.media.update(other.id, { label: 'Label' }, NOW);
      const due = () => store.reads.selectFrom('media_search_due').selectAll().execute();
      expect(await due()).toEqual([]);

      const found = async (search: string) => (await one.media.list(id, { search }, { offset: 0, limit: 1 })).total;
      const earlier = async (change: object, tags: readonly string[]) => {
        await store.write(async (transaction) => {
          await transaction.updateTable('media').set(change).where('id', '=', item.id).execute();
          await transaction.deleteFrom('media_tags').where('media_id', '=', item.id).execute();
          for (const [position, tag] of tags.entries()) {
            const row = { media_id: item.id, position, workspace_id: id, tag, tag_key: tag.toLowerCase() };
            await transaction.insertInto('media_tags').values(row).execute();
          }
        });
        expect(await due()).toEqual([{ media_id: item.id }]);
        await completeSearchKeys(store, new AbortController().signal);
        expect(await due()).toEqual([]);
      };
      const search_key = 'name.jpg';
      await earlier({ search_key }, ['Red']);
      expect([await found('red name'), await found('boat')]).toEqual([1, 0]);
      await earlier({ search_key, alt_text: 'A BOAT' }, ['Blue', 'Green']);
      expect([await found('red'), await found('boat green')]).toEqual([0, 1]);
      await earlier({ search_key, alt_text: null }, []);
      expect([await found('name'), await found('green'), await found('boat')]).toEqual([1, 0, 0]);
    } finally {
      await opened.close();
    }
  });
});
