import type { Job, JobClaim, JobKind, Uuid } from '@postshelf/domain';
import { type ExpressionBuilder, sql } from 'kysely';
import type { Queries } from '../store/dialect.ts';
import type { Flag, JobRow, Tables } from '../store/tables.ts';
import { NO_WORKSPACE } from './jobs.ts';

/** Literals, as a partial index is of no use for a parameter. */
export const [NOT_READY, READY] = [sql.lit<Flag>(0), sql.lit<Flag>(1)] as const;

/** Workspaces whose turns one claim makes ready. */
const MOST_AT_ONCE = 1000;

/**
 * Claims jobs of one workspace within a transaction. Concurrent claims skip what others have locked, so none waits.
 *
 * A workspace's turn is ready once one of its jobs may be due; whatever is due, a free job or one whose lease has expired, has
 * a `due_at` in the past. So a claim reads turns by number, and then the jobs of one workspace by time. A turn that proves to be
 * wrong, as its jobs are gone, is put right.
 */
export async function claimJobs<Kind extends JobKind>(
  queries: Queries,
  request: JobClaim<Kind>,
): Promise<readonly Job<Kind>[]> {
  const { kind, now, lease } = request;
  await makeReady(queries, kind, now);
  const without = [...request.without];
  for (;;) {
    const workspaceId = await nextInTurn(queries, request, without);
    if (workspaceId === null) return [];
    // Again, under the lock.
    const room = await roomOf(queries, request, workspaceId);
    const rows = room > 0 ? await dueJobs(queries, request, workspaceId, room) : [];
    if (rows.length > 0) {
      const ids = rows.map((row) => row.subject_id);
      await queries
        .updateTable('jobs')
        .set((eb) => ({ claims: eb('claims', '+', 1), due_at: lease.until, lease_owner: lease.owner }))
        .where('kind', '=', kind)
        .where('subject_id', 'in', ids)
        .execute();
    }
    const isReady = await endTurn(queries, request, workspaceId, rows.length > 0);
    if (rows.length > 0) return rows.map((row) => jobFromRow({ ...row, claims: row.claims + 1 }));
    // Others have locked what is due.
    if (isReady) without.push(workspaceId);
  }
}

/** Of the kind's turns, those of which a job has become due since. */
async function makeReady(queries: Queries, kind: JobKind, now: number): Promise<void> {
  const rows = await queries
    .selectFrom('job_turns')
    .select('workspace_id')
    .where('kind', '=', kind)
    .where('is_ready', '=', NOT_READY)
    .where('due_at', '<=', now)
    .orderBy('due_at')
    .limit(MOST_AT_ONCE)
    .forUpdate()
    .skipLocked()
    .execute();
  if (rows.length === 0) return;
  const ids = rows.map((row) => row.workspace_id);
  // Most were to look at a lease that has been renewed or has ended meanwhile. This statement sees what was committed before
  // the turns were locked.
  await queries
    .updateTable('job_turns')
    .set(asItIs(kind, now))
    .where('kind', '=', kind)
    .where('workspace_id', 'in', ids)
    .execute();
}

/** When the next job of a locked turn's workspace is due. */
const asItIs = (kind: JobKind, now: number) => (eb: ExpressionBuilder<Tables, 'job_turns'>) => {
  const dueAt = eb
    .selectFrom('jobs')
    .select((of) => of.fn.min('jobs.due_at').as('due_at'))
    .where('jobs.kind', '=', kind)
    .whereRef('jobs.workspace_id', '=', 'job_turns.workspace_id')
    .where('jobs.due_at', 'is not', null);
  return { due_at: dueAt, is_ready: eb.case().when(dueAt, '<=', now).then<Flag>(1).else<Flag>(0).end() };
};

async function nextInTurn<Kind extends JobKind>(
  queries: Queries,
  { kind, perWorkspace, now }: JobClaim<Kind>,
  without: readonly Uuid[],
): Promise<Uuid | null> {
  const row = await queries
    .selectFrom('job_turns')
    .select('workspace_id')
    .where('kind', '=', kind)
    .where('is_ready', '=', READY)
    .$if(without.length > 0, (query) => query.where('workspace_id', 'not in', without))
    .$if(perWorkspace !== null, (query) =>
      query.where(
        (eb) =>
          eb
            .selectFrom('jobs')
            .select((count) => count.fn.countAll<number>().as('leases'))
            .where('jobs.kind', '=', kind)
            .whereRef('jobs.workspace_id', '=', 'job_turns.workspace_id')
            .where('lease_owner', 'is not', null)
            .where('due_at', '>', now),
        '<',
        perWorkspace ?? 0,
      ),
    )
    .orderBy('turn')
    .orderBy('workspace_id')
    .limit(1)
    .forUpdate('job_turns')
    .skipLocked()
    .executeTakeFirst();
  return row?.workspace_id ?? null;
}

/** How many of its jobs may be claimed. */
async function roomOf<Kind extends JobKind>(
  queries: Queries,
  { kind, perWorkspace, rules, now }: JobClaim<Kind>,
  workspaceId: Uuid,
): Promise<number> {
  if (perWorkspace === null) return rules.batch;
  const { leases } = await queries
    .selectFrom('jobs')
    .select((eb) => eb.fn.countAll().as('leases'))
    .where('kind', '=', kind)
    .where('workspace_id', '=', workspaceId)
    .where('lease_owner', 'is not', null)
    .where('due_at', '>', now)
    .executeTakeFirstOrThrow();
  return Math.min(rules.batch, perWorkspace - Number(leases));
}

const dueJobs = <Kind extends JobKind>(
  queries: Queries,
  { kind, rules, now }: JobClaim<Kind>,
  workspaceId: Uuid,
  limit: number,
): Promise<JobRow[]> => {
  const direction = rules.order === 'oldest' ? 'asc' : 'desc';
  return queries
    .selectFrom('jobs')
    .selectAll()
    .where('kind', '=', kind)
    .where('workspace_id', '=', workspaceId)
    .where('due_at', '<=', now)
    .orderBy('due_at', direction)
    .orderBy('subject_id', direction)
    .limit(limit)
    .forUpdate()
    .skipLocked()
    .execute();
};

/** Moves the turn of a workspace that has been served behind all others. Returns whether it is ready for the next. */
async function endTurn<Kind extends JobKind>(
  queries: Queries,
  { kind, now }: JobClaim<Kind>,
  workspaceId: Uuid,
  wasServed: boolean,
): Promise<boolean> {
  const { is_ready } = await queries
    .updateTable('job_turns')
    .set(asItIs(kind, now))
    .$if(wasServed, (query) =>
      query.set((eb) => ({
        turn: eb
          .selectFrom('job_turns as others')
          .select((last) => last(last.fn.max('others.turn'), '+', 1).as('turn'))
          .where('others.kind', '=', kind),
      })),
    )
    .where('kind', '=', kind)
    .where('workspace_id', '=', workspaceId)
    .returning('is_ready')
    .executeTakeFirstOrThrow();
  return is_ready === 1;
}

export function jobFromRow<Kind extends JobKind>(row: JobRow): Job<Kind> {
  return {
    kind: row.kind as Kind,
    subjectId: row.subject_id,
    workspaceId: row.workspace_id === NO_WORKSPACE ? null : row.workspace_id,
    payload: row.payload === null ? null : JSON.parse(row.payload),
    addedAt: row.added_at,
    attempts: row.attempts,
    claims: row.claims,
  };
}
