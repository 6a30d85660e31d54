import { expect, test } from 'bun:test';
import { watchMemory } from '../../src/telemetry/memory-watch.ts';

const MIB = 1024 * 1024;

/** Simulates a process. @param left the MiB outside the heap that a collection leaves */
function watched(left: number) {
  const process = { outside: 0, heap: 15, left, collected: 0 };
  const look = watchMemory(
    () => ({ rss: (process.outside + process.heap) * MIB, heapTotal: process.heap * MIB }),
    () => {
      process.collected += 1;
      process.outside = process.left;
    },
  );
  const lookAt = (outside: number): number => {
    process.outside = outside;
    look();
    return process.collected;
  };
  return { process, lookAt };
}

test('garbage is collected each time the memory outside the heap has grown by a certain amount', () => {
  const { process, lookAt } = watched(86);
  expect([lookAt(86), lookAt(119), lookAt(120)]).toEqual([0, 0, 1]);
  // From here on, a collection can't free the added memory. The next one starts only after further growth.
  process.left = 130;
  expect([lookAt(130), lookAt(130), lookAt(177), lookAt(178)]).toEqual([2, 2, 2, 3]);
  process.left = 86;
  expect([lookAt(106), lookAt(129), lookAt(130)]).toEqual([3, 3, 4]);
});

test("growth of JavaScriptCore's own heap starts no collection until the process is large", () => {
  const { process, lookAt } = watched(86);
  process.heap = 137;
  expect(lookAt(86)).toBe(0);
  // The collection doesn't shrink the heap. The next one starts only after further growth.
  process.heap = 138;
  expect([lookAt(86), lookAt(86)]).toEqual([1, 1]);
  process.heap = 161;
  expect(lookAt(86)).toBe(1);
  process.heap = 162;
  expect(lookAt(86)).toBe(2);
});
