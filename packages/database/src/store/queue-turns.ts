import type { ImportQueue, Uuid } from '@postshelf/domain';
import type { SelectQueryBuilder } from 'kysely';
import { FEW_ROWS } from './count.ts';
import type { Queries } from './dialect.ts';
import type { Scan, Store } from './store.ts';
import type { Tables } from './tables.ts';

/**
 * One after the last turn of the workspace's jobs, but not before the queue's lowest: otherwise a new workspace would
 * be served alone until it had caught up.
 */
export async function turnOfNewJob(
  queries: Queries,
  table: 'covers_due' | 'fits' | 'webhooks',
  workspaceId: Uuid,
): Promise<number> {
  const jobs = queries.selectFrom(table).where('turn', 'is not', null);
  const { last } = await jobs
    .select((eb) => eb.fn.max('turn').as('last'))
    .where('workspace_id', '=', workspaceId)
    .executeTakeFirstOrThrow();
  const { next } = await jobs.select((eb) => eb.fn.min('turn').as('next')).executeTakeFirstOrThrow();
  return Math.max(last === null ? 0 : Number(last) + 1, Number(next ?? 0));
}

type CountedQueue = 'imports' | 'previews' | 'webhook_deliveries';

type Jobs = SelectQueryBuilder<Tables, never, { since: number | null }>;

const JOBS: { readonly [Name in CountedQueue]: (queries: Queries) => Jobs } = {
  imports: (queries) => queries.selectFrom('imports').select('added_at as since'),
  previews: (queries) => queries.selectFrom('previews').select('due_at as since').where('due_at', 'is not', null),
  webhook_deliveries: (queries) =>
    queries.selectFrom('webhook_deliveries').select('created_at as since').where('next_attempt_at', 'is not', null),
};

type QueueDepth = Awaited<ReturnType<ImportQueue['depth']>>;

/** Of all workspaces. Other queues are counted without reading their rows. */
export const countJobs: Scan<[CountedQueue, number], QueueDepth> = {
  name: 'countJobs',
  run: ({ read }, table, most) => read((queries) => count(queries, table, most)),
};

async function count(queries: Queries, table: CountedQueue, most: number): Promise<QueueDepth> {
  const counted = await queries
    .selectFrom(JOBS[table](queries).limit(most).as('some'))
    .select((eb) => [eb.fn.countAll().as('jobs'), eb.fn.min('some.since').as('oldest')])
    .executeTakeFirstOrThrow();
  return { jobs: Number(counted.jobs), oldest: counted.oldest === null ? null : Number(counted.oldest) };
}

export async function depthOf(store: Store, table: CountedQueue): Promise<QueueDepth> {
  const few = await store.read((queries) => count(queries, table, FEW_ROWS + 1));
  if (few.jobs <= FEW_ROWS) return few;
  return store.scan(countJobs, { workspaceId: store.dialect.noId }, table, Number.MAX_SAFE_INTEGER);
}
