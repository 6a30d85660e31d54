import type { Uuid } from '@postshelf/domain';
import { type Expression, type SqlBool, sql } from 'kysely';
import type { Queries, SearchIndex } from '../../store/dialect.ts';
import { containsWords } from '../search-key.ts';
import { PHRASE_TABLES, phraseOf } from './search-entries.ts';

/**
 * Maximum number of items that may be missing from the index. It is limited, because a search reads these items one by
 * one.
 */
const MAX_LACKING = 10_000;

/**
 * Searches large workspaces with two FTS5 tables: trigrams of search keys (sqlite.org/fts5.html#the_trigram_tokenizer),
 * and single characters and pairs. Both lag behind writes: until `fill-search-index.ts` runs, a new item has no
 * `search_number`, and a former key is in `media_search_removed`. So a search takes the index's hits without removed
 * entries, and adds the hits among items without a number; both are read from one snapshot.
 */
export const SQLITE_SEARCH_INDEX: SearchIndex = {
  async find(queries, workspaceId, words, max) {
    const phrases = words.map(phraseOf).filter((phrase) => phrase !== null);
    if (phrases.length < words.length || words.length === 0) return null;
    const numbers = await numbersOf(queries, workspaceId);
    if (numbers === null || (await lacksMany(queries, workspaceId))) return null;
    const { first, last } = numbers;
    const isOfWorkspace = sql`between cast(${first} as integer) and cast(${last} as integer)`;
    const entries = PHRASE_TABLES.flatMap((table) => {
      const matches = phrases.filter((phrase) => phrase.table === table).map(({ match }) => match);
      return matches.length === 0
        ? []
        : [
            sql`select rowid as number from ${sql.table(table)}
              where ${sql.table(table)} match ${matches.join(' AND ')} and rowid ${isOfWorkspace}`,
          ];
    });
    const found = sql`(${sql.join(entries, sql` intersect `)}) as found`;
    const isWhole = phrases.every((phrase) => phrase.isWhole);
    const isHit = (key: string): Expression<SqlBool> => containsWords('instr', sql.ref<string>(key), words);
    const lacking = sql`from media indexed by media_unsearched
      where workspace_id = ${workspaceId} and search_number is null and cover_of is null and ${isHit('search_key')}`;
    const foundItems = sql`from ${found} cross join media on media.search_number = found.number
      ${isWhole ? sql`` : sql`where ${isHit('media.search_key')}`}`;
    const areHits = sql<SqlBool>`media.rowid in (select media.rowid ${foundItems} union all select rowid ${lacking})`;
    const removed = sql`from media_search_removed where number ${isOfWorkspace} and ${isHit('search_key')}`;
    const total = isWhole
      ? sql<number>`(select count(*) from ${found}) - (select count(*) ${removed}) + (select count(*) ${lacking})`
      : sql<number>`(select count(*) ${foundItems}) + (select count(*) ${lacking})`;
    const hits = { total: await numberOf(queries, total), areHits };
    return hits.total > max ? null : hits;
  },
};

async function numbersOf(queries: Queries, workspaceId: Uuid): Promise<{ first: number; last: number } | null> {
  const { rows } = await sql<{ first: number; last: number }>`
    select scope << 32 as first, last_number as last from media_search_scopes where workspace_id = ${workspaceId}`.execute(
    queries,
  );
  return rows[0] ?? null;
}

const lacksMany = async (queries: Queries, workspaceId: Uuid): Promise<boolean> =>
  (await numberOf(
    queries,
    sql<number>`(select count(*) from (
      select 1 from media indexed by media_unsearched
      where workspace_id = ${workspaceId} and search_number is null and cover_of is null
      limit ${sql.lit(MAX_LACKING + 1)}
    ))`,
  )) > MAX_LACKING;

async function numberOf(queries: Queries, value: Expression<number>): Promise<number> {
  const { rows } = await sql<{ value: number }>`select ${value} as value`.execute(queries);
  return rows[0]?.value ?? 0;
}
