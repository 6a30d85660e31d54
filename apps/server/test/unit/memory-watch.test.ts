import { expect, test } from 'bun:test';
import { watchMemory } from '../../src/telemetry/memory-watch.ts';

test('garbage is collected each time the process has grown by some megabytes, and not for ever', () => {
  const MIB = 1024 * 1024;
  let [rss, collected] = [100 * MIB, 0];
  let after = 100 * MIB;
  const look = watchMemory(
    () => rss,
    () => {
      collected += 1;
      rss = after;
    },
  );
  const lookAt = (mib: number): number => {
    rss = mib * MIB;
    look();
    return collected;
  };
  expect([lookAt(100), lookAt(133), lookAt(134)]).toEqual([0, 0, 1]);
  // Nothing could be given back: the next look finds no growth.
  after = 200 * MIB;
  expect([lookAt(200), lookAt(200), lookAt(247), lookAt(248)]).toEqual([2, 2, 2, 3]);
  after = 100 * MIB;
  expect([lookAt(120), lookAt(143), lookAt(144)]).toEqual([3, 3, 4]);
});
