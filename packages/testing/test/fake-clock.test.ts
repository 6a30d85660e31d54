import { describe, expect, test } from 'bun:test';
import { describeClock } from '../src/contracts/clock.ts';
import { fakeClock } from '../src/fakes/fake-clock.ts';

describeClock('the fake', () => fakeClock());

describe('the fake clock', () => {
  test('stands still until it is set or advanced, also back', () => {
    const clock = fakeClock(1_000_000_000_000);
    expect(clock.now()).toBe(1_000_000_000_000);
    clock.advance(250);
    expect(clock.now()).toBe(1_000_000_000_250);
    clock.advance(-500);
    expect(clock.now()).toBe(999_999_999_750);
    clock.set(1_700_000_000_000);
    expect(clock.now()).toBe(1_700_000_000_000);
  });

  test('starts at the same time in every run', () => {
    expect(fakeClock().now()).toBe(Date.UTC(2026, 0, 15, 12));
  });

  test.each([0.5, Number.NaN, Number.POSITIVE_INFINITY])('refuses %d for a time, and keeps its own', (time) => {
    expect(() => fakeClock(time)).toThrow(RangeError);
    const clock = fakeClock();
    const before = clock.now();
    expect(() => clock.set(time)).toThrow(RangeError);
    expect(() => clock.advance(time)).toThrow(RangeError);
    expect(clock.now()).toBe(before);
  });
});
