import type { Uuid } from '@postshelf/domain';
import type { Queries } from './store.ts';

/**
 * The turn for a workspace's new job: one after its last job, and never before the next turn of all, or a workspace
 * without jobs would be served until it has had as many as all others ever had.
 */
export async function turnAfterAll(queries: Queries, table: 'covers_due' | 'fits', workspaceId: Uuid): Promise<number> {
  const jobs = queries.selectFrom(table);
  const { last } = await jobs
    .select((eb) => eb.fn.max('turn').as('last'))
    .where('workspace_id', '=', workspaceId)
    .executeTakeFirstOrThrow();
  const { next } = await jobs.select((eb) => eb.fn.min('turn').as('next')).executeTakeFirstOrThrow();
  return Math.max(last === null ? 0 : Number(last) + 1, Number(next ?? 0));
}
