import type { Uuid } from '@postshelf/domain';
import type { Queries } from './dialect.ts';

/**
 * One after the last turn of the workspace's jobs, but not before the queue's lowest: otherwise a new workspace would
 * be served alone until it had caught up.
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
