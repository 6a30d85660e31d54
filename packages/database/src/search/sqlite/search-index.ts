import type { Uuid } from '@postshelf/domain';
import { type Expression, type SqlBool, sql } from 'kysely';
import type { Queries, SearchIndex } from '../../store/dialect.ts';
import { containsText, foldForSearch } from '../search-key.ts';
import { phraseOf } from './search-entries.ts';

/** The most items that may be missing from the index: a search reads them one by one. */
const MAX_LACKING = 10_000;

/**
 * Searches large workspaces by two FTS5 tables: trigrams of search keys (sqlite.org/fts5.html#the_trigram_tokenizer),
 * and single characters and pairs. Both lag behind writes: until `fill-search-index.ts` runs, a new item has no
 * `search_number`, and a former key is in `media_search_removed`. So hits are those of the index, less the removed
 * entries, plus those among items without a number, in one snapshot.
 */
export const SQLITE_SEARCH_INDEX: SearchIndex = {
  async find(queries, workspaceId, text, most) {
    const phrase = phraseOf(foldForSearch(text));
    if (phrase === null) return null;
    const numbers = await numbersOf(queries, workspaceId);
    if (numbers === null || (await lacksMany(queries, workspaceId))) return null;
    const { match, isWhole } = phrase;
    const entries = sql.table(phrase.table);
    const isFound = sql<SqlBool>`${entries} match ${match}
      and ${entries}.rowid between cast(${numbers.first} as integer) and cast(${numbers.last} as integer)`;
    const key = sql<string>`search_key`;
    const lacking = sql`from media indexed by media_unsearched
      where workspace_id = ${workspaceId} and search_number is null and cover_of is null and ${containsText('instr', key, text)}`;
    const found = sql`from ${entries} cross join media on media.search_number = ${entries}.rowid where ${isFound}
      ${isWhole ? sql`` : sql`and ${containsText('instr', sql<string>`media.search_key`, text)}`}`;
    const areHits = sql<SqlBool>`media.rowid in (select media.rowid ${found} union all select rowid ${lacking})`;
    const removed = sql`from media_search_removed
      where number between cast(${numbers.first} as integer) and cast(${numbers.last} as integer) and ${containsText('instr', key, text)}`;
    const total = isWhole
      ? sql<number>`(select count(*) from ${entries} where ${isFound}) - (select count(*) ${removed})
          + (select count(*) ${lacking})`
      : sql<number>`(select count(*) ${found}) + (select count(*) ${lacking})`;
    const hits = { total: await numberOf(queries, total), areHits };
    return hits.total > most ? null : hits;
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
