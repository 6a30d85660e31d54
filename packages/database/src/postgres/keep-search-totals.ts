import type { Uuid } from '@postshelf/domain';
import { sql } from 'kysely';
import type { Queries } from '../store/store.ts';
import { MOST_CHANGES, MOST_IDS, type NewTotal } from './search-totals.ts';
import type { PostgresStore } from './store.ts';

/** Texts of a workspace; the oldest go. */
const MOST_TEXTS = 256;

/** Milliseconds that a total is kept: what nobody looks for any more isn't to be kept for ever. */
const MAX_AGE = 7 * 86_400_000;

/** Changes of a workspace that are worked in at once. Fewer are soon looked at. */
const ENOUGH = 1000;

/** Changes that may wait in all workspaces together. */
const MOST_WAITING = 20_000;

/** Milliseconds between two looks for changes. */
const INTERVAL = 10_000;

type Source = Pick<PostgresStore, 'reads' | 'transactFor' | 'counted'>;

/** Keeps what was counted, and works changes into what is kept: in short transactions, of which a kill undoes one. */
export class SearchTotalsKeeper {
  readonly #store: Source;
  #lookAt = 0;

  constructor(store: Source) {
    this.#store = store;
  }

  async keep(signal: AbortSignal, now = Date.now()): Promise<void> {
    const counted = this.#store.counted.take();
    if (counted.length > 0) {
      await this.#store.transactFor('upkeep', async (transaction) => {
        for (const total of counted) await keepTotal(transaction, total, now);
      });
    }
    if (now < this.#lookAt) return;
    for (;;) {
      const workspaces = await withManyChanges(this.#store.reads);
      for (const workspaceId of workspaces) {
        if (signal.aborted) return;
        await this.#store.transactFor('upkeep', (transaction) => workChangesIn(transaction, workspaceId, now));
      }
      if (workspaces.length === 0) break;
    }
    this.#lookAt = now + INTERVAL;
  }
}

/** Where the workspace has none, and is still there. */
async function makeBase(queries: Queries, workspaceId: Uuid): Promise<void> {
  await sql`
    insert into media_search_bases select id, 0 from workspaces where id = ${workspaceId}
    on conflict do nothing`.execute(queries);
}

/** Unless changes were worked in since it was counted, or the workspace is gone. */
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

/** Workspaces whose changes are to be worked in; all that have any where those of all together are many. */
async function withManyChanges(queries: Queries): Promise<readonly Uuid[]> {
  const { rows } = await sql<{ workspace_id: Uuid; changes: string }>`
    select workspace_id, count(*) as changes
    from (select workspace_id from media_search_changes limit ${sql.lit(MOST_WAITING)}) as looked_at
    group by workspace_id`.execute(queries);
  const isFull = rows.reduce((sum, { changes }) => sum + Number(changes), 0) >= MOST_WAITING;
  return rows.filter(({ changes }) => isFull || Number(changes) >= ENOUGH).map(({ workspace_id }) => workspace_id);
}

/**
 * Works changes of a workspace into its totals, or lets go of the totals where those are too many. Who keeps a total waits
 * until this is done, and then finds another version.
 */
export async function workChangesIn(queries: Queries, workspaceId: Uuid, now: number): Promise<void> {
  await makeBase(queries, workspaceId);
  // Locked, so that two processes don't work at the same ones, and each statement behind it sees what was kept before.
  await sql`
    update media_search_bases set version = version + 1 where workspace_id = ${workspaceId}`.execute(queries);
  const { rows } = await sql<{ changes: string }>`
    select count(*) as changes from (
      select from media_search_changes where workspace_id = ${workspaceId} limit ${sql.lit(MOST_CHANGES + 1)}
    ) as looked_at`.execute(queries);
  const isTooMuch = Number(rows[0]?.changes) > MOST_CHANGES;
  await sql`
    delete from media_search_totals
    where workspace_id = ${workspaceId} and (${isTooMuch}::boolean or kept_at < ${now - MAX_AGE}::bigint)`.execute(
    queries,
  );
  await sql`
    with taken as (
      delete from media_search_changes where workspace_id = ${workspaceId} and id in (
        select id from media_search_changes where workspace_id = ${workspaceId} limit ${sql.lit(2 * MOST_CHANGES)}
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
  // They are counted, and their ids looked up, anew.
  await sql`
    delete from media_search_totals
    where workspace_id = ${workspaceId} and cardinality(ids) > ${sql.lit(2 * MOST_IDS)}`.execute(queries);
}
