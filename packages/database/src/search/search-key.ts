import { type MediaItem, searchFold } from '@postshelf/domain';
import { type Expression, type SqlBool, sql } from 'kysely';
import type { Dialect } from '../store/dialect.ts';

/**
 * Separates the texts of a key. {@link foldForSearch} removes the separator from each text, so no match spans two
 * texts.
 */
const SEPARATOR = '\n';

/** Precedes the alt text and the tags in a key; each of these ends with a separator. */
const WORDS_BEGIN = '\n\n';

const foldForSearch = (text: string): string => searchFold(text).replaceAll(SEPARATOR, ' ');

type SearchedTexts = Pick<MediaItem, 'name' | 'label' | 'altText'>;

/** Returns the text that searches look in. The text is folded here, because SQLite folds only ASCII letters. */
export const searchKey = ({ name, label, altText }: SearchedTexts, tags: readonly string[]): string => {
  const key = [name, label].flatMap((text) => (text ? [foldForSearch(text)] : [])).join(SEPARATOR);
  const words = [...(altText === null ? [] : [altText]), ...tags].map((text) => foldForSearch(text) + SEPARATOR);
  return words.length === 0 ? key : key + WORDS_BEGIN + words.join('');
};

/** Returns the part of a search key by which lists are sorted by name: equal names are sorted by label. */
export const nameAndLabelOf = (key: string): string => key.split(WORDS_BEGIN, 1)[0] ?? '';

/** Returns the SQL of {@link nameAndLabelOf}. @param position see {@link Dialect.position} */
export const nameAndLabelIn = (position: Dialect['position'], key: Expression<string>): Expression<string> => {
  const end = sql.lit(WORDS_BEGIN);
  return sql<string>`substr(${key}, 1, ${sql.raw(position)}(${key} || ${end}, ${end}) - 1)`;
};

/**
 * Returns the folded words of a search; an item matches if each word is found. Words of which folding leaves nothing are
 * left out.
 */
export const searchWords = (search: string): readonly string[] => [
  ...new Set(search.split(/\s+/u).map(foldForSearch).filter(Boolean)),
];

/**
 * Whether the search key contains each word literally. This doesn't use `like`, which needs escapes, and in SQLite
 * stops at a NUL and rejects long patterns.
 *
 * @param position see {@link Dialect.position}
 */
export function containsWords(
  position: Dialect['position'],
  key: Expression<string>,
  words: readonly string[],
): Expression<SqlBool> {
  // A word with a NUL matches nothing: PostgreSQL rejects a NUL even in a parameter.
  if (words.some((word) => word.includes('\0'))) return sql<SqlBool>`1 = 0`;
  const contained = words.map((word) => sql`${sql.raw(position)}(${key}, ${word}) > 0`);
  return sql<SqlBool>`(${sql.join([sql`1 = 1`, ...contained], sql` and `)})`;
}
