import type { Uuid } from '@postshelf/domain';
import { type Expression, type SqlBool, sql } from 'kysely';
import { foldForSearch, holds } from '../media/search.ts';
import type { Queries, SearchIndex } from '../store/store.ts';
import { findKept, isKeepable, MOST_IDS, type NewTotals } from './search-totals.ts';

/** What `make-search-index.ts` makes where it may. */
export const SEARCH_KEYS_INDEX = 'media_search_keys';

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
    const kept = isKeepable(key) ? await findKept(queries, workspaceId, key) : null;
    const isIndexed = await knows(queries, key);
    const hasText = isIndexed ? isLike(key) : holds(sql<string>`search_key`, text);
    const isHit = sql<SqlBool>`(workspace_id = ${workspaceId} and cover_of is null and ${hasText})`;
    if (kept !== null && kept.total !== null) {
      const { total, areCandidates } = kept;
      const areScanned = areCandidates === null && !isIndexed;
      if (total > most || (areScanned && Number.isFinite(most))) return null;
      return {
        total,
        areHits: areCandidates === null ? isHit : sql<SqlBool>`(${areCandidates} and ${isHit})`,
        areScanned,
      };
    }
    if (!isIndexed && Number.isFinite(most)) return null;
    const few = isIndexed ? FEW_HITS : MOST_IDS;
    const ids = await firstIds(queries, isHit, few + 1);
    const isFew = ids.length <= few;
    const total = isFew ? ids.length : await countHits(queries, isHit, most);
    if (total > most) return null;
    if (kept !== null && (total > CHEAP_HITS || !isIndexed)) counted.add(kept.toKeep(total, isFew ? ids : null));
    // Asked for by its ids, the index isn't read again.
    return isFew
      ? { total, areHits: sql<SqlBool>`id = any(${ids}::uuid[])` }
      : { total, areHits: isHit, areScanned: !isIndexed };
  },
});

/** Ids of a search that are carried from one query to the next; to count more takes longer than to find so many. */
const FEW_HITS = 1000;

/** Hits that are counted as soon as a kept total is read. */
const CHEAP_HITS = 20;

const isLike = (key: string): Expression<SqlBool> =>
  sql<SqlBool>`search_key like ${`%${key.replaceAll(/[\\%_]/g, '\\$&')}%`}`;

/** Whether the index is there and has trigrams of the text. */
async function knows(queries: Queries, key: string): Promise<boolean> {
  if (!(PLAIN.test(key) || LETTERS.test(key)) || !(await isThere(queries))) return false;
  return PLAIN.test(key) || (await knowsLetters(queries));
}

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

const isThere = (queries: Queries): Promise<boolean> =>
  isTrue(
    queries,
    sql<boolean>`exists (select 1 from pg_catalog.pg_index where indexrelid = to_regclass(${SEARCH_KEYS_INDEX}) and indisvalid)`,
  );

/** In the locale `C` only letters of ASCII are any. */
const knowsLetters = (queries: Queries): Promise<boolean> => isTrue(queries, sql<boolean>`show_trgm('жжж') <> '{}'`);

async function isTrue(queries: Queries, condition: Expression<boolean>): Promise<boolean> {
  const { rows } = await sql<{ holds: boolean }>`select ${condition} as holds`.execute(queries);
  return rows[0]?.holds === true;
}
