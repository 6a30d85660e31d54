import { JOB_KINDS, type JobKey, type JobKind, type JobStart, type NewJob, type Uuid } from '@postshelf/domain';
import type { Queries } from '../store/dialect.ts';
import { insertOnce } from '../store/insert-once.ts';
import type { JobRow } from '../store/tables.ts';

/** The workspace of jobs that belong to the whole library; the same id in all databases, so that jobs can be copied. */
export const NO_WORKSPACE = '00000000-0000-0000-0000-000000000000' as Uuid;

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
 * Adds a job within the transaction that makes it necessary. If the job already exists, it becomes due at the earlier
 * of both times, unless it is leased or has failed.
 *
 * @param addedAt milliseconds since the epoch
 * @param before the number of attempts made before the job was added, and why the last of them failed
 */
export const addJob = <Kind extends JobKind>(
  queries: Queries,
  job: NewJob<Kind>,
  start: JobStart,
  addedAt: number,
  before: BeforeJob = {},
): Promise<void> => addJobs(queries, [job], start, addedAt, before);

type BeforeJob = Partial<Pick<JobRow, 'attempts' | 'reason'>>;

/** Adds jobs of one kind. Locks jobs before turns, as ending a job does, so that the two can't deadlock. */
export async function addJobs<Kind extends JobKind>(
  queries: Queries,
  jobs: readonly NewJob<Kind>[],
  start: JobStart,
  addedAt: number,
  { attempts = 0, reason = null }: BeforeJob = {},
): Promise<void> {
  const isLeased = 'lease' in start;
  const dueAt = isLeased ? start.lease.until : start.dueAt;
  const turns = new Map<Uuid, Kind>();
  for (const { kind, subjectId, workspaceId, payload } of jobs) {
    const workspace_id = workspaceId ?? NO_WORKSPACE;
    turns.set(workspace_id, kind);
    await insertJob(queries, {
      kind,
      subject_id: subjectId,
      workspace_id,
      payload: payload === null ? null : JSON.stringify(payload),
      added_at: addedAt,
      due_at: dueAt,
      attempts,
      claims: isLeased ? 1 : 0,
      lease_owner: isLeased ? start.lease.owner : null,
      reason,
    });
  }
  for (const [workspaceId, kind] of turns) await announce(queries, kind, workspaceId, dueAt);
}

/**
 * Makes sure that claims consider a workspace's jobs of a kind from `dueAt` on. Locks the workspace's turn for that
 * kind until the transaction ends. To prevent deadlocks, callers that change several turns must change the turn for
 * `preview` before the turn for `cover`.
 */
export const announce = (queries: Queries, kind: JobKind, workspaceId: Uuid, dueAt: number): Promise<void> =>
  insertTurn(queries, { kind, workspace_id: workspaceId, due_at: dueAt, is_ready: 0, turn: 0 });

/** Deletes all jobs and turns of a workspace that is being removed. */
export async function removeJobsOf(queries: Queries, workspaceId: Uuid): Promise<void> {
  // The condition includes the kind, because the indexes begin with it.
  for (const table of ['jobs', 'job_turns'] as const) {
    await queries.deleteFrom(table).where('kind', 'in', JOB_KINDS).where('workspace_id', '=', workspaceId).execute();
  }
}

/**
 * Ends a job within the transaction that stores its outcome. Returns false, and changes nothing, if the owner doesn't
 * hold the job.
 */
export async function completeJob(queries: Queries, key: JobKey, owner: string): Promise<boolean> {
  const { numDeletedRows } = await queries
    .deleteFrom('jobs')
    .where('kind', '=', key.kind)
    .where('subject_id', '=', key.subjectId)
    .where('lease_owner', '=', owner)
    .executeTakeFirst();
  return numDeletedRows > 0n;
}

/** Deletes jobs even if they are leased, because their subject no longer exists or was handled in another way. */
export async function deleteJobs(queries: Queries, kind: JobKind, subjectIds: readonly Uuid[]): Promise<void> {
  if (subjectIds.length === 0) return;
  await queries.deleteFrom('jobs').where('kind', '=', kind).where('subject_id', 'in', subjectIds).execute();
}

/** Locks a job until the transaction ends; undefined if the job doesn't exist or the owner doesn't hold it. */
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
 * Releases a leased job within a transaction, so that it can be claimed from `dueAt` on.
 *
 * @returns false, without a change, if the owner doesn't hold the job
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

/** Sets when the owner's leases of some jobs end. @returns the subjects of the jobs that the owner holds */
export async function renewJobs(
  queries: Queries,
  kind: JobKind,
  subjectIds: readonly Uuid[],
  owner: string,
  until: number,
): Promise<ReadonlySet<Uuid>> {
  const rows = await queries
    .updateTable('jobs')
    .set({ due_at: until })
    .where('kind', '=', kind)
    .where('subject_id', 'in', subjectIds)
    .where('lease_owner', '=', owner)
    .returning(['subject_id', 'workspace_id'])
    .execute();
  // Renewing a lease normally makes the job due later. If the clock was set back, the job becomes due earlier, so its
  // turn must become due earlier, too.
  const workspaceIds = [...new Set(rows.map((row) => row.workspace_id))];
  if (workspaceIds.length > 0) {
    await queries
      .updateTable('job_turns')
      .set({ due_at: until })
      .where('kind', '=', kind)
      .where('workspace_id', 'in', workspaceIds)
      .where('due_at', '>', until)
      .execute();
  }
  return new Set(rows.map((row) => row.subject_id));
}
