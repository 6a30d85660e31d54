import { describe, expect, test } from 'bun:test';
import { type KindLimits, limitWork, Refusal, type Uuid } from '@postshelf/domain';
import { sequentialIds } from '@postshelf/testing/fakes';
import { thrownBy } from '@postshelf/testing/outcomes';
import { SlotPool } from '../../src/fair-share/slot-pool.ts';
import { refusalOf } from '../support/refusals.ts';
import { handTimer } from './hand-timer.ts';

const HERE = new AbortController().signal;
const ids = sequentialIds();
const [ONE, TWO, THREE] = [ids.next(), ids.next(), ids.next()];

const LIMITS: KindLimits = {
  slots: 4,
  perWorkspace: 2,
  queuePerWorkspace: 3,
  queue: 5,
  waitTimeout: 1_000,
  retryAfter: 7,
  message: 'Too much is under way.',
};
const SIZES = { uploads: 1, uploadsPerWorkspace: 1, imports: 1, importsPerWorkspace: 1, scans: 1, writes: 4 };
const ENDED_EARLY = { code: 'malformed', message: 'The request ended early.' } as const;
const BUSY = { code: 'busy', message: 'Too much is under way.', retryAfter: 7 } as const;

function openPool(limits: Partial<KindLimits> = {}) {
  const timer = handTimer();
  const pool = new SlotPool({ ...LIMITS, ...limits }, timer.startTimer);
  const served: string[] = [];
  /** Takes a slot, and records the name once the slot is granted. */
  const take = (workspaceId: Uuid, name = '', signal = HERE) => {
    const taking = pool.take(workspaceId, signal).then((releaseSlot) => {
      served.push(name);
      return releaseSlot;
    });
    // A test may end without awaiting this promise, so a rejection mustn't count as unhandled.
    taking.catch(() => undefined);
    return taking;
  };
  return { pool, timer, served, take };
}

const turns = async (): Promise<void> => {
  for (let turn = 0; turn < 5; turn += 1) await Promise.resolve();
};

describe('a pool of slots', () => {
  test('gives the first workspace its share of all slots, and each further one the same share of the rest', async () => {
    const { pool, take } = openPool({ slots: 10, perWorkspace: 5, queuePerWorkspace: 20, queue: 60 });
    for (const workspace of [ONE, TWO, THREE]) for (let count = 0; count < 9; count += 1) void take(workspace);
    await turns();
    // The workspaces hold 5, 3 and 1 slots.
    expect(pool.figures).toEqual({ inUse: 9, waiting: 18, refused: 0 });
    expect(pool.tryTake(ids.next())).not.toBeNull();
    expect(pool.tryTake(ids.next())).toBeNull();
  });

  test('of one slot gives it to one workspace at a time', () => {
    const { pool } = openPool({ slots: 1, perWorkspace: 1 });
    const releaseSlot = pool.tryTake(ONE);
    expect(pool.tryTake(TWO)).toBeNull();
    releaseSlot?.();
    expect(pool.tryTake(TWO)).not.toBeNull();
  });

  test('gives a workspace all slots if its share is all of them', () => {
    const { pool } = openPool({ perWorkspace: 4 });
    for (let count = 0; count < 4; count += 1) expect(pool.tryTake(ONE)).not.toBeNull();
    expect(pool.tryTake(TWO)).toBeNull();
  });

  test('lists workspaces that may have no more slots for now', () => {
    const { pool } = openPool({ slots: 4, perWorkspace: 2 });
    expect(pool.workspacesAtLimit()).toEqual([]);
    const releaseSlot = [ONE, ONE, TWO].map((workspace) => pool.tryTake(workspace));
    expect(pool.workspacesAtLimit()).toEqual([ONE, TWO]);
    pool.tryTake(THREE);
    expect(pool.workspacesAtLimit()).toBeNull();
    releaseSlot[0]?.();
    releaseSlot[1]?.();
    expect(pool.workspacesAtLimit()).toEqual([]);
  });

  test('serves the callers of a workspace in their order', async () => {
    const { take, served } = openPool();
    const first = await take(ONE, 'first');
    const second = await take(ONE, 'second');
    const third = take(ONE, 'third');
    void take(ONE, 'fourth');
    second();
    first();
    (await third)();
    await turns();
    expect(served).toEqual(['first', 'second', 'third', 'fourth']);
  });

  test('lets waiting workspaces take turns, however many callers one of them has', async () => {
    const { take, served } = openPool({ slots: 1, perWorkspace: 1 });
    const releaseSlot = await take(ONE, 'one');
    const waiting = [
      ...['one, second', 'one, third'].map((name) => take(ONE, name)),
      ...['two', 'two, second'].map((name) => take(TWO, name)),
      take(THREE, 'three'),
    ];
    // Each caller gives its slot back, which then goes to the next caller.
    const all = Promise.all(waiting.map(async (taking) => (await taking)()));
    releaseSlot();
    await all;
    expect(served).toEqual(['one', 'one, second', 'two', 'three', 'one, third', 'two, second']);
  });

  test('gives a slot back once, however often its release function is called', async () => {
    const { pool, take } = openPool({ slots: 1, perWorkspace: 1 });
    const releaseSlot = await take(ONE);
    releaseSlot();
    releaseSlot();
    expect(pool.tryTake(ONE)).not.toBeNull();
    expect(pool.tryTake(TWO)).toBeNull();
  });

  test('refuses a request of a workspace whose queue is full', async () => {
    const { pool, take } = openPool({ slots: 1, perWorkspace: 1 });
    await take(ONE);
    for (let count = 0; count < LIMITS.queuePerWorkspace; count += 1) void take(ONE);
    expect(await refusalOf(pool.take(ONE, HERE))).toEqual(BUSY);
    expect(pool.figures).toEqual({ inUse: 1, waiting: 3, refused: 1 });
  });

  test('refuses the last caller of the longest queue when a new workspace finds all queues full', async () => {
    const { pool, take } = openPool({ slots: 1, perWorkspace: 1 });
    await take(ONE);
    const ofOne = [take(ONE), take(ONE), take(ONE)];
    const ofTwo = [take(TWO), take(TWO)];
    const newcomer = take(THREE, 'newcomer');
    expect(await refusalOf(ofOne[2] ?? newcomer)).toEqual(BUSY);
    expect(pool.figures).toEqual({ inUse: 1, waiting: 5, refused: 1 });
    // Now the queues have two, two and one callers. A second caller of `THREE` doesn't replace a caller of another
    // workspace, because the queues would then be just as uneven.
    expect(await refusalOf(pool.take(THREE, HERE))).toEqual(BUSY);
    expect([...ofOne.slice(0, 2), ...ofTwo, newcomer]).toHaveLength(pool.figures.waiting);
  });

  test('refuses a caller that waited too long', async () => {
    const { pool, timer, take } = openPool({ slots: 1, perWorkspace: 1 });
    await take(ONE);
    const waiting = take(TWO);
    timer.pass(999);
    expect(pool.figures.waiting).toBe(1);
    timer.pass(1);
    expect(await refusalOf(waiting)).toEqual(BUSY);
    expect(pool.figures).toEqual({ inUse: 1, waiting: 0, refused: 1 });
  });

  test('removes a caller that leaves, without counting it as refused', async () => {
    const { pool, timer, take } = openPool({ slots: 1, perWorkspace: 1 });
    const releaseSlot = await take(ONE);
    const gone = new AbortController();
    const waiting = take(TWO, 'gone', gone.signal);
    gone.abort();
    expect(await refusalOf(waiting)).toEqual(ENDED_EARLY);
    expect(await refusalOf(pool.take(TWO, gone.signal))).toEqual(ENDED_EARLY);
    releaseSlot();
    expect(pool.figures).toEqual({ inUse: 0, waiting: 0, refused: 0 });
    expect(timer.pending).toBe(0);
  });

  test('rejects a waiting caller with the reason of its abort signal', async () => {
    const { take } = openPool({ slots: 1, perWorkspace: 1 });
    await take(ONE);
    const revoked = new Refusal({ code: 'unauthenticated' });
    const refused = new AbortController();
    const waiting = take(TWO, 'refused', refused.signal);
    refused.abort(revoked);
    expect(await thrownBy(waiting)).toBe(revoked);
  });

  test('refuses no caller if queue and waitTimeout are infinite', async () => {
    const { queuePerWorkspace, queue, waitTimeout } = limitWork(SIZES).writes;
    const { pool, timer, take } = openPool({ slots: 1, perWorkspace: 1, queuePerWorkspace, queue, waitTimeout });
    const releaseSlot = await take(ONE);
    const waiting = Array.from({ length: 1_000 }, () => take(ONE));
    await turns();
    expect(pool.figures).toEqual({ inUse: 1, waiting: 1_000, refused: 0 });
    expect(timer.pending).toBe(0);
    releaseSlot();
    for (const taking of waiting) (await taking)();
    expect(pool.figures).toEqual({ inUse: 0, waiting: 0, refused: 0 });
  });

  test('lets a caller keep its slot even if its signal is aborted later', async () => {
    const { pool, take } = openPool({ slots: 1, perWorkspace: 1 });
    const going = new AbortController();
    const releaseSlot = await take(ONE, '', going.signal);
    going.abort();
    expect(pool.figures.inUse).toBe(1);
    releaseSlot();
    expect(pool.figures.inUse).toBe(0);
  });
});
