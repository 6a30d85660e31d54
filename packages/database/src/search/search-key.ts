import { caseFold } from '@postshelf/domain';
import { type Expression, type SqlBool, sql } from 'kysely';
import type { Dialect } from '../store/dialect.ts';

/** {@link foldForSearch} removes it, so no match spans name and label. */
const SEPARATOR = '\n';

export const foldForSearch = (text: string): string => caseFold(text).replaceAll(SEPARATOR, ' ');

/** Case is folded here, as SQLite folds only ASCII letters. */
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
  // PostgreSQL rejects a NUL, even in a parameter.
  if (text.includes('\0')) return sql<SqlBool>`1 = 0`;
  return sql<SqlBool>`${sql.raw(position)}(${key}, ${foldForSearch(text)}) > 0`;
}
