import type { Uuid } from '@postshelf/domain';
import { type Expression, type SqlBool, sql } from 'kysely';
import type { Queries } from '../store/store.ts';

/** Characters of a text whose total is kept. */
const MAX_LENGTH = 200;

/** Changes of a workspace that are looked at; where there are more, texts are counted anew. */
export const MOST_CHANGES = 10_000;

/** Hits whose ids are kept. Of more, a walk along the order of a list meets enough soon. */
export const MOST_IDS = 3000;

/** What was counted of a text, as the workspace's base has it. */
export interface NewTotal {
  readonly workspaceId: Uuid;
  readonly text: string;
  readonly version: number;
  readonly items: number;
  readonly ids: readonly Uuid[] | null;
}

/** What `make-search-index.ts` makes where it may. */
export const SEARCH_KEYS_INDEX = 'media_search_keys';

/** What is kept of a text, and what a count has to say to be kept. */
export interface KeptSearch {
  /** Whether the index of trigrams is there. */
  readonly hasIndex: boolean;
  /** null where it has to be counted. */
  readonly total: number | null;
  /** Among which the hits are; null where those are many. */
  readonly areCandidates: Expression<SqlBool> | null;
  /** As what a count of the same snapshot is to be kept; null where it can't be. */
  toKeep(total: number, ids: readonly Uuid[] | null): NewTotal | null;
}

/**
 * What is known of a text (folded, without U+0000) in a snapshot: what is kept, and what the changes behind its base add. Where
 * nothing is, what counts it in this transaction is planned for its own text, as the plan for any takes several times as long.
 */
export async function findKept(queries: Queries, workspaceId: Uuid, text: string): Promise<KeptSearch> {
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
        limit ${sql.lit(MOST_CHANGES + 1)}
      ) as looked_at
    ) as behind
    left join media_search_totals as kept on kept.workspace_id = ${workspaceId} and kept.text = ${text}`.execute(
    queries,
  );
  const [found] = rows;
  if (!found) throw new Error('PostgreSQL says nothing of a search.');
  const isUsable = Number(found.changes) <= MOST_CHANGES;
  const difference = Number(found.difference);
  return {
    hasIndex: found.is_indexed,
    total: isUsable && found.items !== null ? Number(found.items) + difference : null,
    areCandidates: found.has_ids === true ? candidates(workspaceId, text) : null,
    toKeep: (total, ids) =>
      isUsable && text.length <= MAX_LENGTH
        ? { workspaceId, text, version: Number(found.version ?? 0), items: total - difference, ids }
        : null,
  };
}

/** What has the text now had it in the base, or came with it since. */
const candidates = (workspaceId: Uuid, text: string): Expression<SqlBool> => sql<SqlBool>`id in (
  select unnest(ids) from media_search_totals where workspace_id = ${workspaceId} and text = ${text}
  union all
  select media_id from media_search_changes
  where workspace_id = ${workspaceId} and items > 0 and strpos(search_key, ${text}) > 0
)`;

/** Totals that were counted and are to be kept: a few, as each is counted anew where it was not kept. */
export class NewTotals {
  readonly #totals = new Map<string, NewTotal>();

  add(total: NewTotal | null): void {
    if (total === null || this.#totals.size >= MOST_WAITING) return;
    this.#totals.set(`${total.workspaceId} ${total.text}`, total);
  }

  /** All of them, which are then no longer here. */
  take(): readonly NewTotal[] {
    const all = [...this.#totals.values()];
    this.#totals.clear();
    return all;
  }
}

const MOST_WAITING = 20;
