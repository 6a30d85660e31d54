import { expect, test } from 'bun:test';
import { Turns } from '../../src/index.ts';

/** Runs the microtasks that follow from earlier calls. */
async function settle(): Promise<void> {
  for (let step = 0; step < 20; step += 1) await Promise.resolve();
}

/** Returns a clock and an event loop that tests advance by hand. */
function byHand() {
  let now = 0;
  let later: (() => void)[] = [];
  const turns = new Turns(
    () => now,
    (callback) => later.push(callback),
  );
  return {
    turns,
    pass: (milliseconds: number) => {
      now += milliseconds;
    },
    /** Runs one turn of the event loop, and the microtasks that follow from its callbacks. */
    turn: async () => {
      const due = later;
      later = [];
      for (const callback of due) callback();
      await settle();
    },
    pending: () => later.length,
  };
}

/** Does this many pieces of work, each of `each` milliseconds, and calls `done` for each piece. */
async function work({ turns, pass }: ReturnType<typeof byHand>, pieces: number, each: number, done: () => void) {
  for (let piece = 0; piece < pieces; piece += 1) {
    pass(each);
    done();
    await turns.next();
  }
}

test('short work is done in one turn, and leaves no timer', async () => {
  const loop = byHand();
  let done = 0;
  await work(loop, 40, 0.1, () => {
    done += 1;
  });
  expect(done).toBe(40);
  await loop.turn();
  expect(loop.pending()).toBe(0);
});

test('long work is divided into turns of a few milliseconds', async () => {
  const loop = byHand();
  let done = 0;
  let isOver = false;
  const working = work(loop, 100, 1, () => {
    done += 1;
  }).then(() => {
    isOver = true;
  });
  const perTurn: number[] = [];
  for (let before = 0; !isOver; before = done) {
    await loop.turn();
    perTurn.push(done - before);
  }
  await working;
  expect(done).toBe(100);
  expect(perTurn.length).toBeGreaterThan(10);
  expect(Math.max(...perTurn)).toBeLessThanOrEqual(12);
});

test('concurrent tasks advance in order, by one piece of work per turn', async () => {
  const loop = byHand();
  const order: number[] = [];
  const all = Promise.all(Array.from({ length: 5 }, (_, who) => work(loop, 3, 20, () => order.push(who))));
  // Every call does its first piece immediately. The first call also does its second piece in this turn, because the
  // turn's time is measured from its first `next`.
  await settle();
  expect(order).toEqual([0, 1, 2, 3, 4, 0]);
  const perTurn: number[] = [];
  while (order.length < 15) {
    const before = order.length;
    await loop.turn();
    perTurn.push(order.length - before);
  }
  expect(perTurn.every((count) => count <= 1)).toBe(true);
  expect(order.slice(6)).toEqual([1, 2, 3, 4, 0, 1, 2, 3, 4]);
  for (let turn = 0; turn < 10; turn += 1) await loop.turn();
  await all;
});
