import { afterEach, expect, test } from 'bun:test';
import type { JobState, ListedJob, Uuid } from '@postshelf/domain';
import { retryJob } from '../../src/index.ts';
import { databases } from '../support/databases.ts';
import { refusalOf } from '../support/refusals.ts';
import { inhabitedWorld, replacing } from '../support/world.ts';

afterEach(databases.closeAll);

const jobOf = (kind: 'delivery' | 'import', state: JobState = 'waiting'): ListedJob => ({
  kind,
  subjectId: '019e7b1c-52a1-7d3a-a0de-1b3f9ad2c111' as Uuid,
  state,
  workspaceId: null,
  addedAt: 1,
  dueAt: 2,
  attempts: 1,
  claims: 0,
  reason: null,
});

/**
 * Returns ports that behave as if a worker had started or finished the job right before `retry` is called.
 *
 * @param found returns the job as the worker has changed it; null if the job has ended
 */
async function worldWhere(found: (job: ListedJob) => ListedJob | null) {
  const { jobs, ...world } = await inhabitedWorld();
  return { ...world, jobs: replacing(jobs, { retry: async () => found(jobOf('delivery')) }) };
}

test.each([
  ['started it', (job: ListedJob) => ({ ...job, state: 'running' as const })],
  ['delivered everything', () => null],
])('retrying a delivery job succeeds if a worker has %s meanwhile', async (_, found) => {
  expect(await retryJob(await worldWhere(found), jobOf('delivery'))).toMatchObject({ kind: 'delivery' });
});

test('retrying a job that is running or has ended is refused', async () => {
  const running = await worldWhere((job) => ({ ...job, state: 'running' }));
  for (const job of [jobOf('import'), jobOf('delivery', 'running')]) {
    expect(await refusalOf(retryJob(running, job))).toMatchObject({ code: 'invalid' });
  }
  expect(await refusalOf(retryJob(await worldWhere(() => null), jobOf('import')))).toMatchObject({ code: 'not_found' });
});
