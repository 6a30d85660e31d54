import {
  type AnyJob,
  JOB_KINDS,
  type JobFigures,
  type JobFilter,
  type JobKey,
  type JobKind,
  type JobQueue,
  type ListedJob,
  type Rows,
  type Slice,
} from '@postshelf/domain';
import { sql, type UpdateQueryBuilder, type UpdateResult } from 'kysely';
import { completeWithin } from '../idempotency/complete.ts';
import { countOf, FEW_ROWS } from '../store/count.ts';
import type { Queries } from '../store/dialect.ts';
import type { Scan, Store } from '../store/store.ts';
import type { JobRow, Tables } from '../store/tables.ts';
import { claimJobs, jobFromRow } from './claim.ts';
import { announce, completeJob, NO_WORKSPACE, releaseJob, renewJobs } from './jobs.ts';

export function jobQueue(store: Store): JobQueue {
  return {
    due: (now) => store.read((queries) => dueKinds(queries, now)),

    claim: (request) => store.write((transaction) => claimJobs(transaction, request)),

    async renew(kind, subjectIds, { owner, until }) {
      if (subjectIds.length === 0) return new Set();
      return store.write((transaction) => renewJobs(transaction, kind, subjectIds, owner, until));
    },

    release: (key, owner, next) => store.write((transaction) => releaseJob(transaction, key, owner, next)),

    complete: (key, owner) => store.write((transaction) => completeJob(transaction, key, owner)),

    fail: (key, owner, reason) =>
      store.write((transaction) => releaseJob(transaction, key, owner, { dueAt: null, reason })),

    async figures() {
      const few = await store.read((queries) => figuresOf(queries, FEW_ROWS));
      return few ?? new Map(await store.scan(jobFigures, { workspaceId: store.dialect.noId }));
    },

    list: (filter, slice) =>
      store.scan(listJobs, { workspaceId: filter.workspaceId ?? store.dialect.noId }, filter, slice),

    find: (key) => store.read((queries) => findJob(queries, key)),

    retry: (key, now, complete) =>
      store.write(async (transaction) => {
        const job = await findJob(transaction, key);
        if (job === null || job.state === 'running') return job;
        const changes = { due_at: now, ...(job.state === 'failed' && { attempts: 0, claims: 0, reason: null }) };
        const row = await byKey(transaction.updateTable('jobs').set(changes), key)
          .where('lease_owner', 'is', null)
          .returningAll()
          .executeTakeFirst();
        if (!row) return job;
        const retried = listedFromRow(row);
        if (complete) await completeWithin(transaction, complete(retried));
        await announce(transaction, key.kind, row.workspace_id, now);
        return retried;
      }),

    takeOver: (key, { owner, until }) =>
      store.write(async (transaction) => {
        const row = await byKey(transaction.updateTable('jobs').set({ lease_owner: owner, due_at: until }), key)
          .returningAll()
          .executeTakeFirst();
        if (row) await announce(transaction, key.kind, row.workspace_id, until);
        return row ? (jobFromRow(row) as AnyJob) : null;
      }),
  };
}

const byKey = (query: UpdateQueryBuilder<Tables, 'jobs', 'jobs', UpdateResult>, { kind, subjectId }: JobKey) =>
  query.where('kind', '=', kind).where('subject_id', '=', subjectId);

async function findJob(queries: Queries, { kind, subjectId }: JobKey): Promise<ListedJob | null> {
  const jobs = queries.selectFrom('jobs').selectAll().where('kind', '=', kind);
  const row = await jobs.where('subject_id', '=', subjectId).executeTakeFirst();
  return row ? listedFromRow(row) : null;
}

/**
 * Lists a page of jobs, ordered by subject id and therefore by time, and counts all matching jobs.
 * {@link Dialect.whileWanted} isn't used, because it needs a table with `rowid`.
 */
export const listJobs: Scan<[JobFilter, Slice], Rows<ListedJob>> = {
  name: 'listJobs',
  run: ({ read }, { kind, state, workspaceId }, { offset, limit }) =>
    read(async (queries) => {
      let jobs = queries.selectFrom('jobs');
      if (kind !== undefined) jobs = jobs.where('kind', '=', kind);
      if (workspaceId !== undefined) jobs = jobs.where('workspace_id', '=', workspaceId);
      if (state === 'failed') jobs = jobs.where('due_at', 'is', null);
      if (state === 'running') jobs = jobs.where('lease_owner', 'is not', null);
      if (state === 'waiting') jobs = jobs.where('due_at', 'is not', null).where('lease_owner', 'is', null);
      const total = await countOf(jobs);
      const page = jobs.selectAll().orderBy('kind').orderBy('subject_id').limit(limit).offset(offset);
      return { items: (await page.execute()).map((row) => listedFromRow(row)), total };
    }),
};

const listedFromRow = (row: JobRow): ListedJob => ({
  kind: row.kind,
  subjectId: row.subject_id,
  state: row.due_at === null ? 'failed' : row.lease_owner === null ? 'waiting' : 'running',
  workspaceId: row.workspace_id === NO_WORKSPACE ? null : row.workspace_id,
  addedAt: row.added_at,
  dueAt: row.due_at,
  attempts: row.attempts,
  claims: row.claims,
  reason: row.reason,
});

/** The rows of all kinds of jobs. */
const KINDS = sql.raw(JOB_KINDS.map((kind) => `('${kind}')`).join(', '));

/**
 * Returns the kinds of which some workspace has a turn that is ready, or that should be by now. The statement is text,
 * because each process runs it ten times a second, and building it anew took a quarter of an idle process's time. It asks
 * for the first entry of an index, because PostgreSQL may scan all turns for `exists`.
 */
export async function dueKinds(queries: Queries, now: number): Promise<readonly JobKind[]> {
  const { rows } = await sql<{ kind: JobKind }>`with kinds (kind) as (values ${KINDS})
    select kind from kinds
    where (select min(turn) from job_turns where job_turns.kind = kinds.kind and is_ready = 1) is not null
      or (
        select min(due_at) from job_turns
        where job_turns.kind = kinds.kind and is_ready = 0 and due_at is not null
      ) <= ${now}`.execute(queries);
  return rows.map(({ kind }) => kind);
}

/** Counts jobs of all workspaces, however many there are. */
export const jobFigures: Scan<[], readonly (readonly [JobKind, JobFigures])[]> = {
  name: 'jobFigures',
  run: async ({ read }) => [...((await read((queries) => figuresOf(queries, null))) ?? [])],
};

const NONE: JobFigures = { waiting: 0, running: 0, retried: 0, failed: 0, oldest: null, longestDue: null };

/**
 * Counts jobs by kind and state.
 *
 * @param max maximum number of jobs to count; null for any number
 * @returns null if there are more jobs
 */
async function figuresOf(queries: Queries, max: number | null): Promise<ReadonlyMap<JobKind, JobFigures> | null> {
  const jobs = queries
    .selectFrom('jobs')
    .select(['kind', 'added_at', 'due_at', 'attempts', 'claims', 'lease_owner'])
    .$if(max !== null, (query) => query.limit((max ?? 0) + 1));
  const rows = await queries
    .selectFrom(jobs.as('some'))
    .select((eb) => [
      'kind',
      eb.fn.countAll().as('all'),
      eb.fn.count('lease_owner').as('running'),
      eb.fn.count(eb.case().when('due_at', 'is', null).then(1).end()).as('failed'),
      eb.fn
        .count(
          eb
            .case()
            .when(
              eb.and([
                eb('due_at', 'is not', null),
                eb.or([
                  eb('attempts', '>', 0),
                  eb('claims', '>', eb.case().when('lease_owner', 'is', null).then(0).else(1).end()),
                ]),
              ]),
            )
            .then(1)
            .end(),
        )
        .as('retried'),
      eb.fn.min(eb.case().when('due_at', 'is not', null).then(eb.ref('added_at')).end()).as('oldest'),
      eb.fn.min('due_at').as('longest_due'),
    ])
    .groupBy('kind')
    .execute();
  const figures = new Map<JobKind, JobFigures>(JOB_KINDS.map((kind) => [kind, NONE]));
  let counted = 0;
  for (const row of rows) {
    const [all, running, failed] = [Number(row.all), Number(row.running), Number(row.failed)];
    counted += all;
    figures.set(row.kind, {
      waiting: all - running - failed,
      running,
      failed,
      retried: Number(row.retried),
      oldest: row.oldest === null ? null : Number(row.oldest),
      longestDue: row.longest_due === null ? null : Number(row.longest_due),
    });
  }
  return max !== null && counted > max ? null : figures;
}
