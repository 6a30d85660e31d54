import { describe, expect, test } from 'bun:test';
import { addWorkspace, NOW, sampleImage } from '@postshelf/testing/contracts/samples';
import { sql } from 'kysely';
import { respell } from '../../src/migrations/spellings.ts';
import { dialects, openNew } from '../support/dialects.ts';

const TEXTS = [
  ['Été 😀.jpg', 'It’s summer', null, []],
  ['İSTANBUL ﬁlm.jpg', null, 'ἄνθρωπος', ['Ёлка', 'ＦＵＬＬ']],
  ['ascii.jpg', 'label', 'alt', ['tag']],
  ['が.jpg', null, null, ['हि']],
  ['plain.jpg', null, null, []],
] as const;

describe.each(dialects)('migration 0037 over $name', (dialect) => {
  test('gives every item the search key of this program, also in the trash, and zones their spelling', async () => {
    const opened = await openNew(dialect);
    const { one, store } = opened;
    try {
      const [{ id }, other] = [
        await addWorkspace(one, [], { timezone: 'US/Pacific' }),
        await addWorkspace(one, [], { timezone: 'Europe/Berlin' }),
      ];
      // More than one batch.
      const many = Array.from({ length: 501 }, (_, number) => ['é', `${number}`, null, []] as const);
      const items = [...TEXTS, ...TEXTS, ...many].map(([name, label, altText, tags]) => ({
        item: sampleImage(id, { name, label, altText }),
        tags,
      }));
      await one.media.insert(items.map(({ item }) => item));
      for (const { item, tags } of items) if (tags.length > 0) await one.media.update(item.id, { tags }, NOW);
      for (const { item } of items.slice(0, TEXTS.length)) await one.trashed.add(item.id, NOW);
      const read = async () => {
        const keysIn = (table: 'media' | 'trashed_media') =>
          store.reads.selectFrom(table).select(['id', 'search_key']).orderBy('id').execute();
        const zones = store.reads.selectFrom('workspaces').select(['id', 'timezone']).orderBy('id').execute();
        return { media: await keysIn('media'), trash: await keysIn('trashed_media'), zones: await zones };
      };
      const before = await read();
      expect([before.media.length, before.trash.length]).toEqual([TEXTS.length + 501, TEXTS.length]);
      await store.write(async (transaction) => {
        // As they were folded: the case alone.
        for (const table of ['media', 'trashed_media'])
          await sql`update ${sql.table(table)} set search_key = lower(name) || ${'\u00e9'}
            where name not in ('ascii.jpg', 'plain.jpg')`.execute(transaction);
        await sql`update media set search_key = 'ascii.jpg' where name = 'ascii.jpg'`.execute(transaction);
        await sql`insert into media_search_due select id from media where name = 'ascii.jpg'`.execute(transaction);
        for (const [zone, workspace] of [['us/pacific', id] as const, ['EUROPE/BERLIN', other.id] as const])
          await sql`update workspaces set timezone = ${zone} where id = ${workspace}`.execute(transaction);
        await respell(transaction as never, dialect.name === 'SQLite' ? 'text' : 'uuid');
      });
      expect(await read()).toEqual(before);
      for (const search of ['ete summer', 'istanbul FILM ανθρωποσ елка full', 'हि'])
        expect((await one.media.list(id, { search }, { offset: 0, limit: 9 })).total).toBe(1);
    } finally {
      await opened.close();
    }
  });
});
