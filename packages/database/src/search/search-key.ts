import { caseFold } from '@postshelf/domain';
import { type Expression, type SqlBool, sql } from 'kysely';
import type { Dialect } from '../store/dialect.ts';

/** Separates name and label. {@link foldForSearch} removes it from searched texts, so no match spans both. */
const SEPARATOR = '\n';

/** Normalizes a text as in search keys. */
export const foldForSearch = (text: string): string => caseFold(text).replaceAll(SEPARATOR, ' ');

/** The text in which searches look for an item. Case is folded here, as SQLite folds only ASCII letters. */
export const searchKey = (name: string, label: string | null): string =>
  label === null ? foldForSearch(name) : foldForSearch(name) + SEPARATOR + foldForSearch(label);

/**
 * The search key contains the text literally. `like` needs escapes, and in SQLite stops at a NUL and rejects long
 * patterns.
 *
 * @param position see {@link Dialect.position}
 */
export function containsText(
  position: Dialect['position'],
  key: Expression<string>,
  text: string,
): Expression<SqlBool> {
  if (text === '') return sql<SqlBool>`1 = 1`;
  // PostgreSQL rejects any text with a NUL, even as a parameter.
  if (text.includes('\0')) return sql<SqlBool>`1 = 0`;
  return sql<SqlBool>`${sql.raw(position)}(${key}, ${foldForSearch(text)}) > 0`;
}
