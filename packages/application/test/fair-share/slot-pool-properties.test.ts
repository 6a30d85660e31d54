import { expect, test } from 'bun:test';
import type { KindLimits, Uuid } from '@postshelf/domain';
import { sequentialIds } from '@postshelf/testing/fakes';
import fc from 'fast-check';
import { type ReleaseSlot, SlotPool } from '../../src/fair-share/slot-pool.ts';
import { handTimer } from './hand-timer.ts';

const ids = sequentialIds();
const WORKSPACES: readonly Uuid[] = Array.from({ length: 5 }, () => ids.next());

const someLimits: fc.Arbitrary<KindLimits> = fc.record({
  slots: fc.integer({ min: 1, max: 7 }),
  perWorkspace: fc.integer({ min: 1, max: 7 }),
  queuePerWorkspace: fc.integer({ min: 0, max: 6 }),
  queue: fc.integer({ min: 0, max: 12 }),
  waitTimeout: fc.constant(1_000),
  retryAfter: fc.constant(1),
  message: fc.constant('Too much is under way.'),
});

/**
 * Generates steps for a pool. `which` selects the workspace of a `take`, the caller of a `releaseSlot` or an `abort`,
 * or the milliseconds of a `pass`.
 */
const someSteps = fc.array(
  fc.oneof(
    { weight: 5, arbitrary: fc.record({ what: fc.constant('take' as const), which: fc.nat(WORKSPACES.length - 1) }) },
    { weight: 3, arbitrary: fc.record({ what: fc.constant('releaseSlot' as const), which: fc.nat() }) },
    { weight: 1, arbitrary: fc.record({ what: fc.constant('abort' as const), which: fc.nat() }) },
    { weight: 1, arbitrary: fc.record({ what: fc.constant('pass' as const), which: fc.nat(1_500) }) },
  ),
  { maxLength: 80 },
);

interface Request {
  readonly workspaceId: Uuid;
  readonly gone: AbortController;
  state: 'waiting' | 'held' | 'refused' | 'ended';
  releaseSlot: ReleaseSlot | null;
}

/** Opens a pool, and records all callers that ever requested a slot, in the order of their requests. */
function openWorld(limits: KindLimits) {
  const timer = handTimer();
  const pool = new SlotPool(limits, timer.startTimer);
  const requested: Request[] = [];
  const those = (state: Request['state'], workspaceId?: Uuid): readonly Request[] =>
    requested.filter((one) => one.state === state && (workspaceId === undefined || one.workspaceId === workspaceId));

  const take = (workspaceId: Uuid): void => {
    const one: Request = { workspaceId, gone: new AbortController(), state: 'waiting', releaseSlot: null };
    requested.push(one);
    pool.take(workspaceId, one.gone.signal).then(
      (releaseSlot) => Object.assign(one, { state: 'held', releaseSlot }),
      () => Object.assign(one, { state: 'refused' }),
    );
  };
  const releaseSlot = (one: Request): void => {
    one.state = 'ended';
    one.releaseSlot?.();
  };
  return { pool, timer, those, take, releaseSlot };
}

/** Resolves when all admitted and refused callers have been notified. */
const settle = async (): Promise<void> => {
  for (let turn = 0; turn < 6; turn += 1) await Promise.resolve();
};

type World = ReturnType<typeof openWorld>;

function checkWorld({ pool, timer, those }: World, limits: KindLimits): void {
  const [held, waiting] = [those('held'), those('waiting')];
  expect(pool.figures).toMatchObject({ inUse: held.length, waiting: waiting.length });
  expect(timer.pending).toBe(waiting.length);
  expect(held.length).toBeLessThanOrEqual(limits.slots);
  expect(waiting.length).toBeLessThanOrEqual(limits.queue);
  const free = limits.slots - held.length;
  for (const workspaceId of WORKSPACES) {
    const holds = those('held', workspaceId).length;
    const waits = those('waiting', workspaceId).length;
    expect(holds).toBeLessThanOrEqual(limits.perWorkspace);
    expect(waits).toBeLessThanOrEqual(limits.queuePerWorkspace);
    // A workspace waits only if no slot is free or it already holds its share. In particular, a workspace without a
    // slot never waits while a slot is free.
    const threshold = (limits.perWorkspace * free) / Math.max(0, limits.slots - limits.perWorkspace);
    if (waits > 0) expect(free === 0 || holds >= Math.min(limits.perWorkspace, threshold)).toBe(true);
    if (waits > 0 && holds === 0) expect(free).toBe(0);
  }
}

function doStep({ timer, those, take, releaseSlot }: World, { what, which }: { what: string; which: number }): void {
  const pick = (all: readonly Request[]): Request | undefined => all[which % all.length];
  const [waiting, held] = [pick(those('waiting')), pick(those('held'))];
  if (what === 'take') take(WORKSPACES[which] ?? ids.next());
  if (what === 'releaseSlot' && held) releaseSlot(held);
  if (what === 'abort') waiting?.gone.abort();
  if (what === 'pass') timer.pass(which);
}

test('a pool never exceeds its limits, and no caller waits while a slot is free for its workspace', async () => {
  await fc.assert(
    fc.asyncProperty(someLimits, someSteps, async (limits, steps) => {
      const world = openWorld(limits);
      for (const step of steps) {
        doStep(world, step);
        await settle();
        checkWorld(world, limits);
      }
      // No slot leaks: once all slots are given back and nobody waits, the pool is as it was at first.
      while (world.those('held').length > 0) {
        for (const one of world.those('held')) world.releaseSlot(one);
        await settle();
        checkWorld(world, limits);
      }
      expect(world.pool.figures).toMatchObject({ inUse: 0, waiting: 0 });
    }),
    { numRuns: 1_000 },
  );
});

test('a workspace without a slot is served after at most one turn of each other workspace', async () => {
  const crowds = fc.array(fc.integer({ min: 0, max: 6 }), { minLength: 4, maxLength: 4 });
  await fc.assert(
    fc.asyncProperty(fc.integer({ min: 1, max: 7 }), crowds, async (slots, crowd) => {
      const limits = { slots, perWorkspace: slots, queuePerWorkspace: 50, queue: 500 };
      const world = openWorld({ ...limits, waitTimeout: 1_000, retryAfter: 1, message: '' });
      const [newcomer, ...others] = WORKSPACES;
      if (!newcomer) throw new Error('There are no workspaces.');
      for (const [index, workspaceId] of others.entries()) {
        for (let count = 0; count < (crowd[index] ?? 0); count += 1) world.take(workspaceId);
      }
      world.take(newcomer);
      await settle();
      let given = 0;
      while (world.those('held', newcomer).length === 0) {
        const [oldest] = world.those('held');
        if (!oldest) throw new Error('Nobody holds a slot, and the newcomer waits.');
        world.releaseSlot(oldest);
        given += 1;
        await settle();
      }
      // Each other workspace gets at most one slot before the newcomer does. The last release gives the newcomer its
      // slot.
      expect(given).toBeLessThanOrEqual(others.length + 1);
    }),
    { numRuns: 500 },
  );
});
