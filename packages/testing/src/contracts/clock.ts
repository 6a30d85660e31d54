import { describe, expect, test } from 'bun:test';
import type { Clock } from '@postshelf/domain';

/**
 * The range of plausible times, in milliseconds since the epoch. A time in seconds or microseconds is far outside of
 * it.
 */
const PLAUSIBLE = { from: Date.UTC(2020, 0), to: Date.UTC(2200, 0) };

/** The contract of {@link Clock}. */
export function describeClock(name: string, open: () => Clock): void {
  describe(`${name} as a clock`, () => {
    test('returns whole milliseconds since the epoch', () => {
      const clock = open();
      for (let call = 0; call < 1000; call += 1) {
        const now = clock.now();
        expect(Number.isSafeInteger(now)).toBe(true);
        expect(now).toBeGreaterThan(PLAUSIBLE.from);
        expect(now).toBeLessThan(PLAUSIBLE.to);
      }
    });

    test('measures elapsed time, even if the system time is changed', () => {
      const clock = open();
      const before = clock.elapsed();
      const { now } = Date;
      Date.now = () => now() + 86_400_000;
      try {
        expect(clock.elapsed() - before).toBeWithin(0, 3_600_000);
      } finally {
        Date.now = now;
      }
    });
  });
}
