import { caseFold } from '@postshelf/domain';
import { type Expression, type SqlBool, sql } from 'kysely';

/** Between the name and the label. {@link foldForSearch} leaves none in a text, so no match reaches across. */
const SEPARATOR = '\n';

/** A text as search keys have it. */
export const foldForSearch = (text: string): string => caseFold(text).replaceAll(SEPARATOR, ' ');

/** The text that an item is searched by: folded here, as databases know the case of ASCII letters at best. */
export const searchKey = (name: string, label: string | null): string =>
  label === null ? foldForSearch(name) : foldForSearch(name) + SEPARATOR + foldForSearch(label);

/**
 * Whether a search key holds the text, every character standing for itself. `replace` because both databases have
 * it with the same meaning: `like` needs escapes, and in SQLite it ends at a NUL and throws at a long pattern.
 */
export function holds(key: Expression<string>, text: string): Expression<SqlBool> {
  if (text === '') return sql<SqlBool>`1 = 1`;
  // PostgreSQL has no text with a NUL in it, not even to compare with.
  if (text.includes('\0')) return sql<SqlBool>`1 = 0`;
  return sql<SqlBool>`replace(${key}, ${foldForSearch(text)}, '') <> ${key}`;
}
