import type { Uuid } from '@postshelf/domain';
import { type Expression, type SqlBool, sql } from 'kysely';
import type { Queries, SearchIndex } from '../../store/dialect.ts';
import { containsWords } from '../search-key.ts';

/**
 * Matches words from which pg_trgm extracts a trigram in any locale: three letters or digits in a row, or fewer at the
 * beginning or end of a word, because pg_trgm adds two blanks before each word and one after it.
 */
const PLAIN = /[a-z0-9]{3}|[a-z0-9]{2}[ -/:-@[-`{-~]|[ -/:-@[-`{-~][a-z0-9]/;
const LETTERS = /[\p{L}\p{N}]{3}/u;

/** Maximum length of a word that the index looks up. No text of an item is longer. */
const MAX_LENGTH = 5000;

export const SEARCH_KEYS_INDEX = 'media_search_keys';

/**
 * Searches by trigrams of pg_trgm, if its index exists. For a word without a trigram the server would read the whole
 * index, which is slower than reading every item.
 */
export const POSTGRES_SEARCH_INDEX: SearchIndex = {
  async find(queries, workspaceId, words, max) {
    if (words.length === 0 || words.some((word) => word.length > MAX_LENGTH || word.includes('\0'))) return null;
    const hasIndex = await prepareSearch(queries);
    const knows = hasIndex && words.some((word) => LETTERS.test(word)) && (await knowsLetters(queries));
    const indexed = hasIndex ? words.filter((word) => PLAIN.test(word) || (knows && LETTERS.test(word))) : [];
    const isIndexed = indexed.length > 0;
    if (!isIndexed && Number.isFinite(max)) return null;
    const others = words.filter((word) => !indexed.includes(word));
    const hasWords = [...indexed.map(isLike), containsWords('strpos', sql.ref<string>('search_key'), others)];
    const isHit = sql<SqlBool>`(workspace_id = ${workspaceId} and cover_of is null and ${sql.join(hasWords, sql` and `)})`;
    const few = isIndexed ? FEW_HITS : FEW_SCANNED_HITS;
    const ids = await firstIds(queries, isHit, few + 1);
    const isFew = ids.length <= few;
    const total = isFew ? ids.length : await countHits(queries, isHit, max);
    if (total > max) return null;
    // A few hits are selected by their ids, without reading the index or the items again.
    const areHits = isFew ? sql<SqlBool>`id = any(${ids}::uuid[])` : isHit;
    return { total, areHits };
  },
};

/** Maximum number of hits for which reading them again by their ids is as fast as with the index. */
const FEW_HITS = 250;

/** Maximum number of hits for which reading them again by their ids is as fast as reading every item. */
const FEW_SCANNED_HITS = 3000;

/**
 * Returns whether the trigram index is valid. Also makes the server use custom plans for the transaction's later
 * statements: with a generic plan, counting takes several times as long.
 */
async function prepareSearch(queries: Queries): Promise<boolean> {
  const { rows } = await sql<{ has_index: boolean }>`
    select set_config('plan_cache_mode', 'force_custom_plan', true), exists (
      select 1 from pg_catalog.pg_index where indexrelid = to_regclass(${SEARCH_KEYS_INDEX}) and indisvalid
    ) as has_index`.execute(queries);
  return rows[0]?.has_index === true;
}

const isLike = (key: string): Expression<SqlBool> =>
  sql<SqlBool>`search_key like ${`%${key.replaceAll(/[\\%_]/g, '\\$&')}%`}`;

/**
 * Counts hits, but at most one more than `max`, because the server reads the row of each hit to check that it is
 * visible.
 */
async function countHits(queries: Queries, isHit: Expression<SqlBool>, max: number): Promise<number> {
  const found = Number.isFinite(max)
    ? sql`with found as materialized (select id from media where ${isHit})
      select count(*) as total from (select from found limit ${Math.floor(max) + 1}) as first`
    : sql`select count(*) as total from media where ${isHit}`;
  const { rows } = await sql<{ total: string }>`${found}`.execute(queries);
  return Number(rows[0]?.total ?? 0);
}

/**
 * Returns the ids of the first hits. The hits are materialized, because with the limit the planner would otherwise read
 * the table.
 */
async function firstIds(queries: Queries, isHit: Expression<SqlBool>, limit: number): Promise<readonly Uuid[]> {
  const { rows } = await sql<{ id: Uuid }>`
    with found as materialized (select id from media where ${isHit}) select id from found limit ${sql.lit(limit)}`.execute(
    queries,
  );
  return rows.map(({ id }) => id);
}

/** Whether pg_trgm knows letters beyond ASCII, which it doesn't in the locale `C`. */
async function knowsLetters(queries: Queries): Promise<boolean> {
  const { rows } = await sql<{ knows: boolean }>`select show_trgm('жжж') <> '{}' as knows`.execute(queries);
  return rows[0]?.knows === true;
}
