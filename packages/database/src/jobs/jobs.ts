import type { JobKey, JobKind, JobStart, NewJob, Uuid } from '@postshelf/domain';
import type { Queries } from '../store/dialect.ts';
import { insertOnce } from '../store/insert-once.ts';
import type { JobRow } from '../store/tables.ts';

/** @param workspaceId {@link Dialect.noId} for a job of the library */
type AddedJob<Kind extends JobKind> = NewJob<Kind> & { readonly workspaceId: Uuid };

const insertJob = insertOnce('jobs', (insert) =>
  insert.onConflict((conflict) =>
    conflict
      .columns(['kind', 'subject_id'])
      .doUpdateSet((eb) => ({ due_at: eb.ref('excluded.due_at') }))
      .where('jobs.lease_owner', 'is', null)
      .whereRef('jobs.due_at', '>', 'excluded.due_at'),
  ),
);

const insertTurn = insertOnce('job_turns', (insert) =>
  insert.onConflict((conflict) =>
    conflict
      .columns(['kind', 'workspace_id'])
      .doUpdateSet((eb) => ({ due_at: eb.ref('excluded.due_at') }))
      .where((eb) =>
        eb.or([eb('job_turns.due_at', 'is', null), eb('job_turns.due_at', '>', eb.ref('excluded.due_at'))]),
      ),
  ),
);

/**
 * Adds a job within the transaction that makes it necessary. If there is one already, it becomes due at the earlier of both
 * times, unless somebody works on it or it has failed.
 *
 * @param addedAt milliseconds since 1970; then what has come of a try before, if there was one
 */
export async function addJob<Kind extends JobKind>(
  queries: Queries,
  { kind, subjectId, workspaceId, payload }: AddedJob<Kind>,
  start: JobStart,
  addedAt: number,
  { attempts = 0, reason = null }: Partial<Pick<JobRow, 'attempts' | 'reason'>> = {},
): Promise<void> {
  const isLeased = 'lease' in start;
  const dueAt = isLeased ? start.lease.until : start.dueAt;
  await insertJob(queries, {
    kind,
    subject_id: subjectId,
    workspace_id: workspaceId,
    payload: payload === null ? null : JSON.stringify(payload),
    added_at: addedAt,
    due_at: dueAt,
    attempts,
    claims: isLeased ? 1 : 0,
    lease_owner: isLeased ? start.lease.owner : null,
    reason,
  });
  await announce(queries, kind, workspaceId, dueAt);
}

/**
 * Makes sure that a claim looks at a workspace's jobs of a kind at `dueAt`. Locks the workspace's turn of that kind until the
 * transaction ends: whoever changes several turns does so in the order of the kinds, `preview` before `cover`.
 */
export const announce = (queries: Queries, kind: JobKind, workspaceId: Uuid, dueAt: number): Promise<void> =>
  insertTurn(queries, { kind, workspace_id: workspaceId, due_at: dueAt, is_ready: 0, turn: 0 });

/** Ends a job within the transaction that stores what came of it. False, and nothing changed, if the owner doesn't hold it. */
export async function completeJob(queries: Queries, key: JobKey, owner: string): Promise<boolean> {
  const { numDeletedRows } = await queries
    .deleteFrom('jobs')
    .where('kind', '=', key.kind)
    .where('subject_id', '=', key.subjectId)
    .where('lease_owner', '=', owner)
    .executeTakeFirst();
  return numDeletedRows > 0n;
}

/** Ends a job, whoever works on it: what it was for is gone, or was done otherwise. */
export async function dropJobs(queries: Queries, kind: JobKind, subjectIds: readonly Uuid[]): Promise<void> {
  if (subjectIds.length === 0) return;
  await queries.deleteFrom('jobs').where('kind', '=', kind).where('subject_id', 'in', subjectIds).execute();
}

/** Locks a job until the transaction ends; undefined if there is none, or the owner doesn't hold it. */
export const lockJob = (queries: Queries, key: JobKey, owner: string): Promise<JobRow | undefined> =>
  queries
    .selectFrom('jobs')
    .selectAll()
    .where('kind', '=', key.kind)
    .where('subject_id', '=', key.subjectId)
    .where('lease_owner', '=', owner)
    .forUpdate()
    .executeTakeFirst();

/**
 * Puts a leased job back, to be claimed from `dueAt` on, within a transaction.
 *
 * @returns false, and nothing changed, if the owner doesn't hold it
 */
export async function releaseJob(
  queries: Queries,
  { kind, subjectId }: JobKey,
  owner: string,
  next: { readonly dueAt: number | null } & Partial<Pick<JobRow, 'attempts' | 'claims' | 'reason'>>,
): Promise<boolean> {
  const { dueAt, ...changes } = next;
  const row = await queries
    .updateTable('jobs')
    .set({ ...changes, due_at: dueAt, lease_owner: null })
    .where('kind', '=', kind)
    .where('subject_id', '=', subjectId)
    .where('lease_owner', '=', owner)
    .returning('workspace_id')
    .executeTakeFirst();
  if (row && dueAt !== null) await announce(queries, kind, row.workspace_id, dueAt);
  return row !== undefined;
}
