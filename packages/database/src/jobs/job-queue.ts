import { JOB_KINDS, type JobFigures, type JobKind, type JobQueue } from '@postshelf/domain';
import { FEW_ROWS } from '../store/count.ts';
import type { Queries } from '../store/dialect.ts';
import type { Scan, Store } from '../store/store.ts';
import { claimJobs } from './claim.ts';
import { completeJob, releaseJob } from './jobs.ts';

export function jobQueue(store: Store): JobQueue {
  return {
    due: (now) => store.read((queries) => dueKinds(queries, now)),

    claim: (request) => store.write((transaction) => claimJobs(transaction, store.dialect, request)),

    async renew(kind, subjectIds, { owner, until }) {
      if (subjectIds.length === 0) return new Set();
      const rows = await store.write((transaction) =>
        transaction
          .updateTable('jobs')
          .set({ due_at: until })
          .where('kind', '=', kind)
          .where('subject_id', 'in', subjectIds)
          .where('lease_owner', '=', owner)
          .returning('subject_id')
          .execute(),
      );
      return new Set(rows.map((row) => row.subject_id));
    },

    release: (key, owner, next) => store.write((transaction) => releaseJob(transaction, key, owner, next)),

    complete: (key, owner) => store.write((transaction) => completeJob(transaction, key, owner)),

    fail: (key, owner, reason) =>
      store.write((transaction) => releaseJob(transaction, key, owner, { dueAt: null, reason })),

    async figures() {
      const few = await store.read((queries) => figuresOf(queries, FEW_ROWS));
      return few ?? store.scan(jobFigures, { workspaceId: store.dialect.noId }).then(asMap);
    },
  };
}

async function dueKinds(queries: Queries, now: number): Promise<readonly JobKind[]> {
  const rows = await queries
    .selectNoFrom((none) =>
      JOB_KINDS.map((kind) =>
        none
          .exists(
            none
              .selectFrom('job_turns')
              .select('kind')
              .where('kind', '=', kind)
              .where('is_ready', '=', 1)
              .unionAll(
                none
                  .selectFrom('job_turns')
                  .select('kind')
                  .where('kind', '=', kind)
                  .where('is_ready', '=', 0)
                  .where('due_at', '<=', now),
              ),
          )
          .as(kind),
      ),
    )
    .executeTakeFirstOrThrow();
  return JOB_KINDS.filter((kind) => Boolean(rows[kind]));
}

/** Counts jobs of all workspaces, however many there are. */
export const jobFigures: Scan<[], readonly (readonly [JobKind, JobFigures])[]> = {
  name: 'jobFigures',
  run: async ({ read }) => [...((await read((queries) => figuresOf(queries, null))) ?? [])],
};

const asMap = (figures: readonly (readonly [JobKind, JobFigures])[]): ReadonlyMap<JobKind, JobFigures> =>
  new Map(figures);

const NONE: JobFigures = { waiting: 0, running: 0, retried: 0, failed: 0, oldest: null, longestDue: null };

/** @param most jobs that are counted; null: any number. @returns null if there are more */
async function figuresOf(queries: Queries, most: number | null): Promise<ReadonlyMap<JobKind, JobFigures> | null> {
  const jobs = queries
    .selectFrom('jobs')
    .select(['kind', 'added_at', 'due_at', 'attempts', 'claims', 'lease_owner'])
    .$if(most !== null, (query) => query.limit((most ?? 0) + 1));
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
  return most !== null && counted > most ? null : figures;
}
