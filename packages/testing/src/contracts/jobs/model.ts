import { describe, expect, test } from 'bun:test';
import type { Uuid } from '@postshelf/domain';
import fc from 'fast-check';
import { addImport, claim, idsOf, release } from '../job-samples.ts';
import { addWorkspace, NOW } from '../samples.ts';
import { type OpenStores, type Stores, storesOfEachTest } from '../stores.ts';

const RUNS = process.env.POSTSHELF_TEST_LONG === '1' ? 200 : 15;
const WORKSPACES = 3;
const LEASE = 5;

interface ModelJob {
  readonly subjectId: Uuid;
  readonly workspace: number;
  /** null if its worker stopped retrying. */
  dueAt: number | null;
  owner: string | null;
  claims: number;
}

/** A model of the queue as a list, which each claim reads from its beginning. */
class Model {
  jobs: ModelJob[] = [];
  readonly turns: number[] = Array.from({ length: WORKSPACES }, () => 0);

  constructor(readonly ids: readonly Uuid[]) {}

  claim(owner: string, now: number, perWorkspace: number, batch: number, order: 'oldest' | 'newest'): ModelJob[] {
    const due = (workspace: number) =>
      this.jobs.filter((job) => job.workspace === workspace && job.dueAt !== null && job.dueAt <= now);
    const room = (workspace: number) =>
      perWorkspace -
      this.jobs.filter((job) => job.workspace === workspace && isLeased(job) && claimableFrom(job) > now).length;
    const [next] = this.ids
      .map((id, workspace) => ({ id, workspace, turn: this.turns[workspace] ?? 0 }))
      .filter(({ workspace }) => due(workspace).length > 0 && room(workspace) > 0)
      .sort((a, b) => a.turn - b.turn || (a.id < b.id ? -1 : 1));
    if (!next) return [];
    this.turns[next.workspace] = Math.max(...this.turns) + 1;
    const inOrder = due(next.workspace).sort(
      (a, b) => claimableFrom(a) - claimableFrom(b) || (a.subjectId < b.subjectId ? -1 : 1),
    );
    if (order === 'newest') inOrder.reverse();
    const claimed = inOrder.slice(0, Math.min(batch, room(next.workspace)));
    for (const job of claimed) Object.assign(job, { owner, dueAt: now + LEASE, claims: job.claims + 1 });
    return claimed.toSorted((a, b) => (a.subjectId < b.subjectId ? -1 : 1));
  }
}

const isLeased = (job: ModelJob): boolean => job.owner !== null;
/** When the job may be claimed next: the end of its lease if it has one. */
const claimableFrom = (job: ModelJob): number => job.dueAt ?? Number.POSITIVE_INFINITY;

const time = fc.integer({ min: 0, max: 25 }).map((after) => NOW + after);
const owner = fc.constantFrom('one', 'two');
const picked = { pick: fc.nat(), owner };

const anyStep = fc.oneof(
  { weight: 4, arbitrary: fc.record({ add: fc.nat({ max: WORKSPACES - 1 }), dueAt: time }) },
  {
    weight: 5,
    arbitrary: fc.record({
      claim: owner,
      now: time,
      perWorkspace: fc.integer({ min: 1, max: 4 }),
      batch: fc.integer({ min: 1, max: 3 }),
      order: fc.constantFrom('oldest' as const, 'newest' as const),
    }),
  },
  { weight: 1, arbitrary: fc.record({ renew: time, ...picked }) },
  { weight: 2, arbitrary: fc.record({ release: time, ...picked }) },
  { weight: 2, arbitrary: fc.record({ complete: fc.constant(true), ...picked }) },
  { weight: 1, arbitrary: fc.record({ fail: fc.constant(true), ...picked }) },
  { weight: 1, arbitrary: fc.record({ remove: fc.nat() }) },
);

type Step = typeof anyStep extends fc.Arbitrary<infer Value> ? Value : never;

/** Runs the step on the queue and on the model, and compares the results. */
async function follow(of: Stores, model: Model, step: Step): Promise<void> {
  if ('add' in step) {
    const workspaceId = model.ids[step.add];
    if (!workspaceId) throw new Error('There is no such workspace.');
    const { id: subjectId } = await addImport(of, workspaceId, { start: { dueAt: step.dueAt } });
    model.jobs.push({ subjectId, workspace: step.add, dueAt: step.dueAt, owner: null, claims: 0 });
    return;
  }
  if ('claim' in step) {
    const { claim: claimant, now, perWorkspace, batch, order } = step;
    const lease = { owner: claimant, until: now + LEASE };
    const jobs = await claim(of, 'import', claimant, { now, lease, perWorkspace, rules: { batch, order } });
    const expected = model.claim(claimant, now, perWorkspace, batch, order);
    expect(idsOf(jobs)).toEqual(expected.map(({ subjectId }) => subjectId));
    expect(jobs.map(({ claims }) => claims)).toEqual(expected.map(({ claims }) => claims));
    return;
  }
  const job = model.jobs[('remove' in step ? step.remove : step.pick) % Math.max(1, model.jobs.length)];
  if (!job) return;
  const removeFromModel = () => {
    model.jobs = model.jobs.filter((other) => other !== job);
  };
  if ('remove' in step) {
    await of.media.delete(job.subjectId);
    removeFromModel();
    return;
  }
  const key = { kind: 'import', subjectId: job.subjectId } as const;
  const isHeld = job.owner === step.owner;
  if ('renew' in step) {
    const held = await of.jobs.renew('import', [job.subjectId], { owner: step.owner, until: step.renew });
    expect(held.has(job.subjectId)).toBe(isHeld);
    if (isHeld) job.dueAt = step.renew;
  } else if ('release' in step) {
    const next = { dueAt: step.release, claims: 0 };
    expect(await release(of, key, step.owner, next)).toBe(isHeld);
    if (isHeld) Object.assign(job, next, { owner: null });
  } else if ('complete' in step) {
    expect(await of.jobs.complete(key, step.owner)).toBe(isHeld);
    if (isHeld) removeFromModel();
  } else {
    expect(await of.jobs.fail(key, step.owner, 'reason')).toBe(isHeld);
    if (isHeld) Object.assign(job, { owner: null, dueAt: null });
  }
}

/**
 * Checks the queue against the model in random sequences of calls, some of which come from callers whose clocks differ.
 */
export function describeJobModel(open: OpenStores): void {
  describe('job queue', () => {
    const stores = storesOfEachTest(open);

    test('any sequence of calls has the same results as on a plain list', async () => {
      await fc.assert(
        fc.asyncProperty(fc.array(anyStep, { minLength: 10, maxLength: 50 }), async (steps) => {
          const ids: Uuid[] = [];
          for (let n = 0; n < WORKSPACES; n += 1) ids.push((await addWorkspace(stores.one)).id);
          const model = new Model(ids);
          try {
            for (const [index, step] of steps.entries()) {
              await follow(index % 2 === 0 ? stores.one : stores.two, model, step);
            }
          } finally {
            for (const { subjectId } of model.jobs) await stores.one.media.delete(subjectId);
          }
        }),
        { numRuns: RUNS },
      );
    });
  });
}
