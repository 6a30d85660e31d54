import type { Uuid } from '@postshelf/domain';
import { sql } from 'kysely';
import type { Queries } from '../store/store.ts';
import { MAX_CHANGES, MAX_IDS, type NewTotal } from './search-totals.ts';
import type { PostgresStore } from './store.ts';

/** The most stored totals of a workspace; older ones are deleted. */
const MOST_TEXTS = 256;

/** Milliseconds after which a total is deleted, so that texts which nobody searches any more don't stay for ever. */
const MAX_AGE = 7 * 86_400_000;

/** Logged changes of a workspace from which on they are applied to its totals. Searches read fewer of them fast. */
const ENOUGH = 1000;

/** Logged changes of all workspaces together from which on all are applied. */
const MAX_WAITING = 20_000;

/** Milliseconds between two checks for logged changes. */
const INTERVAL = 10_000;

type Source = Pick<PostgresStore, 'reads' | 'transact' | 'counted'>;

/** Stores new totals of searches and applies logged changes to the stored ones, in short transactions. */
export class SearchTotalsKeeper {
  readonly #store: Source;
  #lookAt = 0;

  constructor(store: Source) {
    this.#store = store;
  }

  async keep(signal: AbortSignal, now = Date.now()): Promise<void> {
    const counted = this.#store.counted.take();
    if (counted.length > 0) {
      await this.#store.transact(async (transaction) => {
        for (const total of counted) await keepTotal(transaction, total, now);
      });
    }
    if (now < this.#lookAt) return;
    for (;;) {
      const workspaces = await workspacesToUpdate(this.#store.reads);
      for (const workspaceId of workspaces) {
        if (signal.aborted) return;
        await this.#store.transact((transaction) => applyChanges(transaction, workspaceId, now));
      }
      if (workspaces.length === 0) break;
    }
    this.#lookAt = now + INTERVAL;
  }
}

/** Inserts the workspace's row of the version of its totals, unless it has one or the workspace was removed. */
async function makeBase(queries: Queries, workspaceId: Uuid): Promise<void> {
  await sql`
    insert into media_search_bases select id, 0 from workspaces where id = ${workspaceId}
    on conflict do nothing`.execute(queries);
}

/** Stores a total, unless changes were applied since it was counted or the workspace was removed. */
async function keepTotal(queries: Queries, total: NewTotal, now: number): Promise<void> {
  const { workspaceId, text, version, items, ids } = total;
  await makeBase(queries, workspaceId);
  await sql`
    insert into media_search_totals
    select workspace_id, ${text}, ${items}::bigint, ${ids}::uuid[], ${now}::bigint
    from media_search_bases where workspace_id = ${workspaceId} and version = ${version}::bigint for update
    on conflict do nothing`.execute(queries);
  await sql`
    delete from media_search_totals where workspace_id = ${workspaceId} and (kept_at < ${now - MAX_AGE}::bigint or text in (
      select text from media_search_totals where workspace_id = ${workspaceId}
      order by kept_at desc, text offset ${sql.lit(MOST_TEXTS)}
    ))`.execute(queries);
}

/** Workspaces whose logged changes are to be applied: those with many; all that have any once the sum is too large. */
async function workspacesToUpdate(queries: Queries): Promise<readonly Uuid[]> {
  const { rows } = await sql<{ workspace_id: Uuid; changes: string }>`
    select workspace_id, count(*) as changes
    from (select workspace_id from media_search_changes limit ${sql.lit(MAX_WAITING)}) as looked_at
    group by workspace_id`.execute(queries);
  const isFull = rows.reduce((sum, { changes }) => sum + Number(changes), 0) >= MAX_WAITING;
  return rows.filter(({ changes }) => isFull || Number(changes) >= ENOUGH).map(({ workspace_id }) => workspace_id);
}

/**
 * Applies a workspace's logged changes to its totals, or deletes the totals if the changes are too many. A concurrent
 * {@link keepTotal} waits for this transaction and then finds another version, so it stores nothing.
 */
export async function applyChanges(queries: Queries, workspaceId: Uuid, now: number): Promise<void> {
  await makeBase(queries, workspaceId);
  // Also locks the row: two processes don't apply the same changes, and later statements see all totals stored before.
  await sql`
    update media_search_bases set version = version + 1 where workspace_id = ${workspaceId}`.execute(queries);
  const { rows } = await sql<{ changes: string }>`
    select count(*) as changes from (
      select from media_search_changes where workspace_id = ${workspaceId} limit ${sql.lit(MAX_CHANGES + 1)}
    ) as looked_at`.execute(queries);
  const isTooMuch = Number(rows[0]?.changes) > MAX_CHANGES;
  await sql`
    delete from media_search_totals
    where workspace_id = ${workspaceId} and (${isTooMuch}::boolean or kept_at < ${now - MAX_AGE}::bigint)`.execute(
    queries,
  );
  await sql`
    with taken as (
      delete from media_search_changes where workspace_id = ${workspaceId} and id in (
        select id from media_search_changes where workspace_id = ${workspaceId} limit ${sql.lit(2 * MAX_CHANGES)}
      ) returning media_id, search_key, items
    ), difference as (
      select kept.text, sum(taken.items) as items, array_agg(taken.media_id) filter (where taken.items > 0) as ids
      from taken join media_search_totals as kept
        on kept.workspace_id = ${workspaceId} and strpos(taken.search_key, kept.text) > 0
      group by kept.text
    )
    update media_search_totals as kept
    set items = kept.items + difference.items,
      ids = case when kept.ids is not null then kept.ids || difference.ids end
    from difference where kept.workspace_id = ${workspaceId} and kept.text = difference.text`.execute(queries);
  // Totals with too many ids are deleted, so that the next search counts them again.
  await sql`
    delete from media_search_totals
    where workspace_id = ${workspaceId} and cardinality(ids) > ${sql.lit(2 * MAX_IDS)}`.execute(queries);
}
