import { sql } from 'kysely';
import type { Queries } from '../store/dialect.ts';

/**
 * Empties the tables of counts that an earlier version kept of searches: its triggers still log every change, for its
 * processes that may run beside this one. Their counts are removed with the log, since neither is exact without the
 * other; a higher version keeps them from storing what they counted before. To be dropped with the tables.
 */
export async function emptySearchLog(transaction: Queries): Promise<void> {
  // Until the end of this transaction no other process stores a count, or adds the row of a workspace's version.
  await sql`lock table media_search_bases in exclusive mode`.execute(transaction);
  await sql`
    insert into media_search_bases
    select id, 0 from workspaces where id in (select workspace_id from media_search_changes)
    on conflict do nothing`.execute(transaction);
  await sql`update media_search_bases set version = version + 1`.execute(transaction);
  await sql`delete from media_search_totals`.execute(transaction);
  await sql`
    delete from media_search_changes
    where workspace_id in (select workspace_id from media_search_bases)
      or workspace_id not in (select id from workspaces)`.execute(transaction);
}
