import { describe, expect, test } from 'bun:test';
import { addWorkspace, NOW, sampleImage } from '@postshelf/testing/contracts/samples';
import { sql } from 'kysely';
import { migrate } from '../../src/migrations/migrate.ts';
import { dialects, openNew } from '../support/dialects.ts';

/** Every sign that the migration replaces, and others around it. */
const NAME =
  'a \u02bb\u02bc\u05f3\u2018\u2019\u201a\u201b \u05f4\u201c\u201d\u201e\u201f \u05be\u2010\u2012\u2013\u2014\u2015\u2212 %[]\'"-';

describe.each(dialects)('the migration of punctuation in $name', (dialect) => {
  test('gives every item the search key of this program, also in the trash', async () => {
    const { one, store, close } = await openNew(dialect);
    try {
      const { id } = await addWorkspace(one);
      const items = [NAME, NAME, 'plain.jpg'].map((name) => sampleImage(id, { name, label: 'it\u2019s' }));
      await one.media.insert(items);
      await one.trashed.add(items[0]?.id ?? expect.unreachable(), NOW);
      const keys = async () => {
        const of = (table: 'media' | 'trashed_media') =>
          store.reads.selectFrom(table).select(['id', 'search_key']).orderBy('id').execute();
        return [...(await of('media')), ...(await of('trashed_media'))];
      };
      const before = await keys();
      expect(before).toHaveLength(3);
      await store.write(async (transaction) => {
        for (const table of ['media', 'trashed_media'])
          await sql`update ${sql.table(table)} set search_key = lower(name) || ${'\nit\u2019s'}`.execute(transaction);
      });
      expect(await keys()).not.toEqual(before);
      const again = { '9000-again': dialect.migrations['1004-punctuation'] ?? expect.unreachable() };
      await store.write((transaction) => migrate(transaction, { ...dialect.migrations, ...again }));
      expect(await keys()).toEqual(before);
      expect((await one.media.list(id, { search: "it's" }, { offset: 0, limit: 9 })).total).toBe(2);
    } finally {
      await close();
    }
  });
});
