import type { Uuid } from '@postshelf/domain';
import { type Expression, type SqlBool, sql } from 'kysely';
import { foldForSearch } from '../media/search.ts';
import type { Queries, SearchIndex } from '../store/store.ts';
import { findKept, MOST_IDS, type NewTotals } from './search-totals.ts';

/**
 * A trigram in any locale: three letters or digits in a row, or fewer beside what isn't one, which stands for blanks; two of them before a
 * word, one behind it (postgresql.org/docs/current/pgtrgm.html, F.35.1).
 */
const PLAIN = /[a-z0-9]{3}|[a-z0-9]{2}[ -/:-@[-`{-~]|[ -/:-@[-`{-~][a-z0-9]/;
const LETTERS = /[\p{L}\p{N}]{3}/u;

/** Characters of a text that the index is asked for. Of keys, none has more. */
const MAX_LENGTH = 1000;

/**
 * Trigrams of search keys by pg_trgm (postgresql.org/docs/current/pgtrgm.html), where its index is there. Without a trigram in
 * the text the server would read the whole index, which takes longer than to look at every item. What was counted of a whole
 * workspace either way is kept (`search-totals.ts`).
 *
 * @param counted takes what is to be kept
 */
export const searchIndexOf = (counted: Pick<NewTotals, 'add'>): SearchIndex => ({
  async find(queries, workspaceId, text, most) {
    const key = foldForSearch(text);
    if (key === '' || key.length > MAX_LENGTH || key.includes('\0')) return null;
    const kept = await findKept(queries, workspaceId, key);
    const isIndexed = kept.hasIndex && (PLAIN.test(key) || (LETTERS.test(key) && (await knowsLetters(queries))));
    const hasText = isIndexed ? isLike(key) : sql<SqlBool>`strpos(search_key, ${key}) > 0`;
    const isHit = sql<SqlBool>`(workspace_id = ${workspaceId} and cover_of is null and ${hasText})`;
    if (kept.total !== null) {
      const { total, areCandidates } = kept;
      const areScanned = areCandidates === null && !isIndexed;
      if (total > most || (areScanned && Number.isFinite(most))) return null;
      const areHits = areCandidates === null ? isHit : sql<SqlBool>`(${areCandidates} and ${isHit})`;
      return { total, areHits, areScanned };
    }
    if (!isIndexed && Number.isFinite(most)) return null;
    const start = performance.now();
    const few = isIndexed ? FEW_HITS : MOST_IDS;
    const ids = await firstIds(queries, isHit, few + 1);
    const isFew = ids.length <= few;
    const total = isFew ? ids.length : await countHits(queries, isHit, most);
    if (total > most) return null;
    const isSlow = !isIndexed || total > CHEAP_HITS || performance.now() - start > SLOW;
    if (isSlow) counted.add(kept.toKeep(total, isFew ? ids : null));
    // Asked for by its ids, the index isn't read again.
    const areHits = isFew ? sql<SqlBool>`id = any(${ids}::uuid[])` : isHit;
    return { total, areHits, areScanned: !isFew && !isIndexed };
  },
});

/** Hits that are as soon looked up by their ids as by the index. */
const FEW_HITS = 250;

/** Hits that are counted as soon as a kept total is read, unless that took longer, in milliseconds. */
const CHEAP_HITS = 20;
const SLOW = 5;

const isLike = (key: string): Expression<SqlBool> =>
  sql<SqlBool>`search_key like ${`%${key.replaceAll(/[\\%_]/g, '\\$&')}%`}`;

/** Each takes a look at its row, whether that is there for everybody. */
async function countHits(queries: Queries, isHit: Expression<SqlBool>, most: number): Promise<number> {
  const found = Number.isFinite(most)
    ? sql`with found as materialized (select id from media where ${isHit})
      select count(*) as total from (select from found limit ${Math.floor(most) + 1}) as first`
    : sql`select count(*) as total from media where ${isHit}`;
  const { rows } = await sql<{ total: string }>`${found}`.execute(queries);
  return Number(rows[0]?.total ?? 0);
}

/** Materialized, as a planner that knew of the limit would rather walk over the table until it is reached. */
async function firstIds(queries: Queries, isHit: Expression<SqlBool>, limit: number): Promise<readonly Uuid[]> {
  const { rows } = await sql<{ id: Uuid }>`
    with found as materialized (select id from media where ${isHit}) select id from found limit ${sql.lit(limit)}`.execute(
    queries,
  );
  return rows.map(({ id }) => id);
}

/** In the locale `C` only letters of ASCII are any. */
async function knowsLetters(queries: Queries): Promise<boolean> {
  const { rows } = await sql<{ knows: boolean }>`select show_trgm('жжж') <> '{}' as knows`.execute(queries);
  return rows[0]?.knows === true;
}
