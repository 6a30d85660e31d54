import type { Uuid } from '@postshelf/domain';
import { type Expression, type SqlBool, sql } from 'kysely';
import type { Queries } from '../store/store.ts';

/** The most characters of a text whose total is stored. */
const MAX_LENGTH = 200;

/** The most logged changes of a workspace that a search reads; if there are more, it counts the hits again. */
export const MAX_CHANGES = 10_000;

/** The most hits whose ids are stored. If there are more, reading in the list's order meets enough of them soon. */
export const MAX_IDS = 3000;

/** The total of a text, as of a version of the workspace's base: without the changes logged since. */
export interface NewTotal {
  readonly workspaceId: Uuid;
  readonly text: string;
  readonly version: number;
  readonly items: number;
  readonly ids: readonly Uuid[] | null;
}

/** The trigram index that `make-search-index.ts` creates if it has the right to. */
export const SEARCH_KEYS_INDEX = 'media_search_keys';

/** What is stored about a text, and how to store a new count. */
export interface StoredSearch {
  /** Whether the trigram index exists and is valid. */
  readonly hasIndex: boolean;
  /** The current number of hits; null if they have to be counted. */
  readonly total: number | null;
  /** A condition on media that holds for all hits, and for some others; null if the ids aren't stored. */
  readonly areCandidates: Expression<SqlBool> | null;
  /** Turns a count of the same snapshot into the total to store; null if it can't be stored. */
  toStore(total: number, ids: readonly Uuid[] | null): NewTotal | null;
}

/**
 * Finds the stored total of a text (folded, without U+0000), and applies the changes logged since. If there is none,
 * later statements of this transaction are planned for their parameters' values: counting by a generic plan takes
 * several times as long.
 */
export async function findStoredSearch(queries: Queries, workspaceId: Uuid, text: string): Promise<StoredSearch> {
  const { rows } = await sql<{
    version: string | null;
    items: string | null;
    has_ids: boolean | null;
    is_indexed: boolean;
    changes: string;
    difference: string;
  }>`
    select
      (select version from media_search_bases where workspace_id = ${workspaceId}) as version,
      kept.items, kept.ids is not null as has_ids, behind.changes, behind.difference,
      exists (
        select 1 from pg_catalog.pg_index where indexrelid = to_regclass(${SEARCH_KEYS_INDEX}) and indisvalid
      ) as is_indexed,
      case when kept.items is null then set_config('plan_cache_mode', 'force_custom_plan', true) end
    from (
      select count(*) as changes, coalesce(sum(items) filter (where strpos(search_key, ${text}) > 0), 0) as difference
      from (
        select items, search_key from media_search_changes where workspace_id = ${workspaceId}
        limit ${sql.lit(MAX_CHANGES + 1)}
      ) as looked_at
    ) as behind
    left join media_search_totals as kept on kept.workspace_id = ${workspaceId} and kept.text = ${text}`.execute(
    queries,
  );
  const [found] = rows;
  if (!found) throw new Error('PostgreSQL returned no row about a search.');
  const isUsable = Number(found.changes) <= MAX_CHANGES;
  const difference = Number(found.difference);
  return {
    hasIndex: found.is_indexed,
    total: isUsable && found.items !== null ? Number(found.items) + difference : null,
    areCandidates: found.has_ids === true ? candidates(workspaceId, text) : null,
    toStore: (total, ids) =>
      isUsable && text.length <= MAX_LENGTH
        ? { workspaceId, text, version: Number(found.version ?? 0), items: total - difference, ids }
        : null,
  };
}

/** Every item that contains the text now either is among the stored ids, or was logged with the text since. */
const candidates = (workspaceId: Uuid, text: string): Expression<SqlBool> => sql<SqlBool>`id in (
  select unnest(ids) from media_search_totals where workspace_id = ${workspaceId} and text = ${text}
  union all
  select media_id from media_search_changes
  where workspace_id = ${workspaceId} and items > 0 and strpos(search_key, ${text}) > 0
)`;

/** Collects a few counted totals until they are stored. A total that is dropped is only counted again. */
export class NewTotals {
  readonly #totals = new Map<string, NewTotal>();

  add(total: NewTotal | null): void {
    if (total === null || this.#totals.size >= MAX_WAITING) return;
    this.#totals.set(`${total.workspaceId} ${total.text}`, total);
  }

  /** Removes and returns all totals. */
  take(): readonly NewTotal[] {
    const all = [...this.#totals.values()];
    this.#totals.clear();
    return all;
  }
}

const MAX_WAITING = 20;
