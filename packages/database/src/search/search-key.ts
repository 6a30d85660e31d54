import { caseFold, type MediaItem, tagKey } from '@postshelf/domain';
import { type Expression, type SqlBool, sql } from 'kysely';
import type { Dialect } from '../store/dialect.ts';

/** {@link foldForSearch} removes it, so no match spans two texts. */
const SEPARATOR = '\n';

/** Before alt text and tags, each of which ends with a separator. */
const WORDS_BEGIN = '\n\n';

const foldForSearch = (text: string): string => caseFold(text).replaceAll(SEPARATOR, ' ');

type SearchedTexts = Pick<MediaItem, 'name' | 'label' | 'altText'>;

/**
 * Case is folded here, as SQLite folds only ASCII letters. A key with alt text or tags ends with a separator; versions
 * that don't know these write keys without.
 *
 * @param tags null: the item never had any
 */
export const searchKey = ({ name, label, altText }: SearchedTexts, tags: readonly string[] | null = null): string => {
  const key = [name, label].flatMap((text) => (text ? [foldForSearch(text)] : [])).join(SEPARATOR);
  const words = [...(altText === null ? [] : [foldForSearch(altText)]), ...(tags ?? []).map(tagKey)];
  if (words.length === 0 && tags === null) return key;
  return key + WORDS_BEGIN + words.map((word) => word + SEPARATOR).join('');
};

/** As {@link searchKey}, with the tags that the item has. */
export const searchKeyAsTagged = (item: SearchedTexts & Pick<MediaItem, 'id'>): Expression<string> =>
  sql<string>`cast(${searchKey(item)} as text) || coalesce((
    select ${sql.lit(item.altText === null ? WORDS_BEGIN : '')} || string_agg(tag_key || ${sql.lit(SEPARATOR)}, '')
    from media_tags where media_id = ${item.id}), '')`;

/** What items are sorted by if by name: equal names by label. */
export const nameAndLabelOf = (key: string): string => key.split(WORDS_BEGIN, 1)[0] ?? '';

/** {@link nameAndLabelOf} in SQL. @param position see {@link Dialect.position} */
export const nameAndLabelIn = (position: Dialect['position'], key: Expression<string>): Expression<string> => {
  const end = sql.lit(WORDS_BEGIN);
  return sql<string>`substr(${key}, 1, ${sql.raw(position)}(${key} || ${end}, ${end}) - 1)`;
};

/** Folded; an item matches if each is found. */
export const searchWords = (search: string): readonly string[] => [
  ...new Set(search.split(/\s+/u).filter(Boolean).map(foldForSearch)),
];

/**
 * The search key contains each word literally. `like` needs escapes, and in SQLite stops at a NUL and rejects long
 * patterns.
 *
 * @param position see {@link Dialect.position}
 */
export function containsWords(
  position: Dialect['position'],
  key: Expression<string>,
  words: readonly string[],
): Expression<SqlBool> {
  // PostgreSQL rejects a NUL, even in a parameter.
  if (words.some((word) => word.includes('\0'))) return sql<SqlBool>`1 = 0`;
  const contained = words.map((word) => sql`${sql.raw(position)}(${key}, ${word}) > 0`);
  return sql<SqlBool>`(${sql.join([sql`1 = 1`, ...contained], sql` and `)})`;
}
