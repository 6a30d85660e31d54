import { caseFold } from '@postshelf/domain';
import { type Expression, type SqlBool, sql } from 'kysely';
import type { Dialect } from '../store/store.ts';

/** Between the name and the label. {@link foldForSearch} leaves none in a text, so no match reaches across. */
const SEPARATOR = '\n';

/** A text as search keys have it. */
export const foldForSearch = (text: string): string => caseFold(text).replaceAll(SEPARATOR, ' ');

/** The text that an item is searched by: folded here, as databases know the case of ASCII letters at best. */
export const searchKey = (name: string, label: string | null): string =>
  label === null ? foldForSearch(name) : foldForSearch(name) + SEPARATOR + foldForSearch(label);

/**
 * Whether a search key holds the text, every character standing for itself. Not by `like`, which needs escapes, and in SQLite ends at a
 * NUL and throws at a long pattern.
 *
 * @param position the database's function for where in a text another begins, 0 for nowhere
 */
export function holds(position: Dialect['position'], key: Expression<string>, text: string): Expression<SqlBool> {
  if (text === '') return sql<SqlBool>`1 = 1`;
  // PostgreSQL has no text with a NUL in it, not even to compare with.
  if (text.includes('\0')) return sql<SqlBool>`1 = 0`;
  return sql<SqlBool>`${sql.raw(position)}(${key}, ${foldForSearch(text)}) > 0`;
}
