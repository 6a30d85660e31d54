import { expect, test } from 'bun:test';
import { watchMemory } from '../../src/telemetry/memory-watch.ts';

const MIB = 1024 * 1024;

/** Simulates a process. @param left the MiB outside the heap that a collection leaves */
function watched(left: number) {
  const process = { outside: 0, heap: 15, left, collected: 0 };
  const check = watchMemory(
    () => ({ rss: (process.outside + process.heap) * MIB, heapTotal: process.heap * MIB }),
    () => {
      process.collected += 1;
      process.outside = process.left;
    },
  );
  const checkAt = (outside: number): number => {
    process.outside = outside;
    check();
    return process.collected;
  };
  return { process, checkAt };
}

test('garbage is collected each time the memory outside the heap has grown by a certain amount', () => {
  const { process, checkAt } = watched(86);
  expect([checkAt(86), checkAt(119), checkAt(120)]).toEqual([0, 0, 1]);
  // From here on, a collection can't free the added memory. The next one starts only after further growth.
  process.left = 130;
  expect([checkAt(130), checkAt(130), checkAt(177), checkAt(178)]).toEqual([2, 2, 2, 3]);
  process.left = 86;
  expect([checkAt(106), checkAt(129), checkAt(130)]).toEqual([3, 3, 4]);
});

test("growth of JavaScriptCore's own heap starts no collection until the process is large", () => {
  const { process, checkAt } = watched(86);
  process.heap = 137;
  expect(checkAt(86)).toBe(0);
  // The collection doesn't shrink the heap. The next one starts only after further growth.
  process.heap = 138;
  expect([checkAt(86), checkAt(86)]).toEqual([1, 1]);
  process.heap = 161;
  expect(checkAt(86)).toBe(1);
  process.heap = 162;
  expect(checkAt(86)).toBe(2);
});
