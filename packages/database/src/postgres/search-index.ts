import { type Expression, type SqlBool, sql } from 'kysely';
import { foldForSearch } from '../media/search.ts';
import type { Queries, SearchIndex } from '../store/store.ts';

/** What `keep-search-index.ts` makes where it may. */
export const SEARCH_KEYS_INDEX = 'media_search_keys';

/** A trigram in any locale: what isn't a letter or digit there is no part of one. */
const PLAIN = /[a-z0-9]{3}/;
const LETTERS = /[\p{L}\p{N}]{3}/u;

/** Characters of a text that the index is asked for. Of keys, none has more. */
const MAX_LENGTH = 1000;

/**
 * Trigrams of search keys by pg_trgm (postgresql.org/docs/current/pgtrgm.html), where its index is there. Without a trigram in
 * the text the server would read the whole index, which takes longer than to look at every item.
 */
export const POSTGRES_SEARCH_INDEX: SearchIndex = {
  async find(queries, workspaceId, text) {
    const key = foldForSearch(text);
    if (key.length > MAX_LENGTH || key.includes('\0') || !LETTERS.test(key)) return null;
    if (!(await isThere(queries)) || !(PLAIN.test(key) || (await knowsLetters(queries)))) return null;
    const pattern = `%${key.replaceAll(/[\\%_]/g, '\\$&')}%`;
    const found = sql`from media where workspace_id = ${workspaceId} and cover_of is null and search_key like ${pattern}`;
    const { rows } = await sql<{ total: string }>`select count(*) as total ${found}`.execute(queries);
    const areHits = sql<SqlBool>`id = any(array(select id ${found}))`;
    return { total: Number(rows[0]?.total ?? 0), areHits };
  },
};

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
