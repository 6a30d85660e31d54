import type { Job, JobClaim, JobKind, Uuid } from '@postshelf/domain';
import { type Expression, type ExpressionBuilder, expressionBuilder, sql } from 'kysely';
import type { Queries } from '../store/dialect.ts';
import type { Flag, JobRow, Tables } from '../store/tables.ts';
import { NO_WORKSPACE } from './jobs.ts';

/** Literals, because a partial index can't be used with a parameter. */
const [NOT_READY, READY] = [sql.lit<Flag>(0), sql.lit<Flag>(1)] as const;

/** Maximum number of workspaces whose turns one claim makes ready. */
const MAX_TURNS = 1000;

/**
 * Claims jobs of one workspace within a transaction. Concurrent claims skip rows that another claim has locked, so no
 * claim waits.
 *
 * A workspace's turn is marked as ready once one of its jobs may be due. A job is due if its `due_at` is in the past,
 * whether the job is free or its lease has expired. A claim therefore takes the ready turn with the lowest number, and
 * then that workspace's jobs in the order of `due_at`. If a ready turn has no jobs any more, the turn is corrected.
 */
export async function claimJobs<Kind extends JobKind>(
  queries: Queries,
  request: JobClaim<Kind>,
): Promise<readonly Job<Kind>[]> {
  const without = [...request.without];
  let areOthersReady = false;
  for (;;) {
    const { workspace_id, others_due_at } = await nextInTurn(queries, request, without);
    if (!areOthersReady && others_due_at !== null) {
      areOthersReady = true;
      await makeReady(queries, request.kind, request.now);
      continue;
    }
    if (workspace_id === null) return [];
    const rows = await leaseDueJobs(queries, request, workspace_id);
    const isReady = await endTurn(queries, request, workspace_id, rows.length > 0);
    if (rows.length > 0) return inOrder(rows, request.rules.order).map((row) => jobFromRow(row));
    // Other claims have locked all due jobs of this workspace.
    if (isReady) without.push(workspace_id);
  }
}

/** Marks a turn of the kind as ready if one of its jobs has become due meanwhile. */
async function makeReady(queries: Queries, kind: JobKind, now: number): Promise<void> {
  const rows = await queries
    .selectFrom('job_turns')
    .select('workspace_id')
    .where('kind', '=', kind)
    .where('is_ready', '=', NOT_READY)
    .where('due_at', '<=', now)
    .orderBy('due_at')
    .limit(MAX_TURNS)
    .forUpdate()
    .skipLocked()
    .execute();
  if (rows.length === 0) return;
  const ids = rows.map((row) => row.workspace_id);
  // Most of these turns became due because a lease was expected to expire, but it has been renewed or released
  // meanwhile. So the turns are computed again, in a separate statement, which sees what was committed before the turns
  // were locked.
  await queries
    .updateTable('job_turns')
    .set(asItIs(kind, now))
    .where('kind', '=', kind)
    .where('workspace_id', 'in', ids)
    .execute();
}

/** Computes a locked turn from the time when the next job of its workspace is due. */
const asItIs = (kind: JobKind, now: number) => (eb: ExpressionBuilder<Tables, 'job_turns'>) => {
  const dueAt = eb
    .selectFrom('jobs')
    .select((of) => of.fn.min('jobs.due_at').as('due_at'))
    .where('jobs.kind', '=', kind)
    .whereRef('jobs.workspace_id', '=', 'job_turns.workspace_id')
    .where('jobs.due_at', 'is not', null);
  return { due_at: dueAt, is_ready: eb.case().when(dueAt, '<=', now).then<Flag>(1).else<Flag>(0).end() };
};

/**
 * Finds and locks the workspace whose turn it is. Also finds the time since which another turn should have been ready.
 * Either may be null.
 */
const nextInTurn = <Kind extends JobKind>(
  queries: Queries,
  { kind, perWorkspace, now }: JobClaim<Kind>,
  without: readonly Uuid[],
) =>
  queries
    .selectNoFrom((none) => [
      none
        .selectFrom('job_turns')
        .select('workspace_id')
        .where('kind', '=', kind)
        .where('is_ready', '=', READY)
        .$if(without.length > 0, (query) => query.where('workspace_id', 'not in', without))
        .$if(perWorkspace !== null, (query) =>
          query.where(
            (eb) =>
              leasedJobs(kind, now, eb.ref('job_turns.workspace_id')).select((count) =>
                count.fn.countAll<number>().as('leases'),
              ),
            '<',
            perWorkspace ?? 0,
          ),
        )
        .orderBy('turn')
        .orderBy('workspace_id')
        .limit(1)
        .forUpdate('job_turns')
        .skipLocked()
        .as('workspace_id'),
      none
        .selectFrom('job_turns as others')
        .select((eb) => eb.fn.min('others.due_at').as('due_at'))
        .where('others.kind', '=', kind)
        .where('others.is_ready', '=', NOT_READY)
        .where('others.due_at', '<=', now)
        .as('others_due_at'),
    ])
    .executeTakeFirstOrThrow();

const leasedJobs = (kind: JobKind, now: number, workspaceId: Uuid | Expression<Uuid>) =>
  expressionBuilder<Tables>()
    .selectFrom('jobs as leased')
    .where('leased.kind', '=', kind)
    .where('leased.workspace_id', '=', workspaceId)
    .where('leased.lease_owner', 'is not', null)
    .where('leased.due_at', '>', now);

/**
 * Leases a workspace's due jobs, as many as it may have. The workspace's leases are counted again, because its turn is
 * now locked.
 */
const leaseDueJobs = <Kind extends JobKind>(
  queries: Queries,
  { kind, rules: { batch, order }, perWorkspace, now, lease }: JobClaim<Kind>,
  workspaceId: Uuid,
): Promise<JobRow[]> => {
  const direction = order === 'oldest' ? 'asc' : 'desc';
  return queries
    .with('due', (query) =>
      query
        .selectFrom('jobs')
        .select('subject_id')
        .where('kind', '=', kind)
        .where('workspace_id', '=', workspaceId)
        .where('due_at', '<=', now)
        .orderBy('due_at', direction)
        .orderBy('subject_id', direction)
        .$if(perWorkspace === null, (due) => due.limit(batch))
        .$if(perWorkspace !== null, (due) =>
          due.limit(
            leasedJobs(kind, now, workspaceId).select((count) =>
              roomBeside(count.fn.countAll<number>(), perWorkspace ?? 0, batch).as('room'),
            ),
          ),
        )
        .forUpdate()
        .skipLocked(),
    )
    .updateTable('jobs')
    .set((eb) => ({ claims: eb('claims', '+', 1), due_at: lease.until, lease_owner: lease.owner }))
    .where('kind', '=', kind)
    .where('subject_id', 'in', (eb) => eb.selectFrom('due').select('subject_id'))
    .returningAll()
    .execute();
};

/**
 * Sorts jobs by the time at which they were added, because the statement that leases them returns them in any order and
 * overwrites the times at which they were due.
 */
function inOrder(rows: readonly JobRow[], order: 'oldest' | 'newest'): readonly JobRow[] {
  const sorted = rows.toSorted((a, b) => a.added_at - b.added_at || (a.subject_id < b.subject_id ? -1 : 1));
  return order === 'oldest' ? sorted : sorted.reverse();
}

/**
 * Returns how many jobs a workspace with this many `leases` may be given. The result is 0 if the limit was lowered
 * below the number of leases.
 */
const roomBeside = (leases: Expression<number>, perWorkspace: number, batch: number) =>
  sql<number>`case when ${leases} + ${batch} <= ${perWorkspace} then ${batch}
    when ${leases} < ${perWorkspace} then ${perWorkspace} - ${leases} else 0 end`;

/**
 * Moves the turn of a served workspace behind all other turns. Returns whether the turn is ready for the next claim.
 */
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
