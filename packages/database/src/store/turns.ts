import type { Uuid } from '@postshelf/domain';
import type { Queries } from './store.ts';

/**
 * The turn of a workspace's last job: one after the one that it has, and never before the turn that is next of all, or
 * whoever has no job would be served until he has had as many as all others ever had.
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
