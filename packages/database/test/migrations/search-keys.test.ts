import { describe, expect, test } from 'bun:test';
import { addWorkspace, NOW, sampleImage } from '@postshelf/testing/contracts/samples';
import { sql } from 'kysely';
import { migrate } from '../../src/migrations/migrate.ts';
import { dialects, openNew } from '../support/dialects.ts';

const IGNORABLE = Array.from({ length: 0x110000 }, (_, code) => code)
  .filter((code) => code < 0xd800 || code > 0xdfff)
  .map((code) => String.fromCodePoint(code))
  .filter((character) => /\p{Default_Ignorable_Code_Point}/u.test(character))
  .join('');

/** Every sign that a migration replaces, and others around it. */
const CASES = [
  {
    migration: '1004-punctuation',
    name: 'a \u02bb\u02bc\u05f3\u2018\u2019\u201a\u201b \u05f4\u201c\u201d\u201e\u201f \u05be\u2010\u2012\u2013\u2014\u2015\u2212 %[]\'"-',
    label: 'it\u2019s',
    search: "it's",
  },
  { migration: '1005-ignored-signs', name: `a đħłøŧ-[]${IGNORABLE}b`, label: 'đa\u00adnang', search: 'danang' },
] as const;

describe.each(dialects)('the migration in $name', (dialect) => {
  test.each(CASES)('$migration gives every item the search key of this program, also in the trash', async (sample) => {
    const { migration, name: signs, label, search } = sample;
    const { one, store, close } = await openNew(dialect);
    try {
      const { id } = await addWorkspace(one);
      const items = [signs, signs, 'plain.jpg'].map((name) => sampleImage(id, { name, label }));
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
          await sql`update ${sql.table(table)} set search_key = lower(name) || ${`\n${label}`}`.execute(transaction);
      });
      expect(await keys()).not.toEqual(before);
      const again = { '9000-again': dialect.migrations[migration] ?? expect.unreachable() };
      await store.write((transaction) => migrate(transaction, { ...dialect.migrations, ...again }));
      expect(await keys()).toEqual(before);
      expect((await one.media.list(id, { search }, { offset: 0, limit: 9 })).total).toBe(2);
    } finally {
      await close();
    }
  });
});
