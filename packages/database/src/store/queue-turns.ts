import type { Uuid } from '@postshelf/domain';
import type { Queries } from './dialect.ts';

/**
 * The turn of a workspace's new job in a queue that serves workspaces alternately: one after its last job's, but not
 * before the lowest turn in the queue. Otherwise a new workspace would be served alone until it had caught up with all
 * earlier jobs.
 */
export async function turnOfNewJob(queries: Queries, table: 'covers_due' | 'fits', workspaceId: Uuid): Promise<number> {
  const jobs = queries.selectFrom(table);
  const { last } = await jobs
    .select((eb) => eb.fn.max('turn').as('last'))
    .where('workspace_id', '=', workspaceId)
    .executeTakeFirstOrThrow();
  const { next } = await jobs.select((eb) => eb.fn.min('turn').as('next')).executeTakeFirstOrThrow();
  return Math.max(last === null ? 0 : Number(last) + 1, Number(next ?? 0));
}
