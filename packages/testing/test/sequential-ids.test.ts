import { describe, expect, test } from 'bun:test';
import { describeIds } from '../src/contracts/ids.ts';
import { fakeClock } from '../src/fakes/fake-clock.ts';
import { sequentialIds } from '../src/fakes/sequential-ids.ts';

describeIds('the sequence', () => sequentialIds(), fakeClock());

describe('the sequence of identifiers', () => {
  test('is the same in every run', () => {
    const ids = sequentialIds();
    expect(String(ids.next())).toBe('019bc186-de00-7000-8000-000000000001');
    expect(String(ids.next())).toBe('019bc186-de00-7000-8000-000000000002');
  });

  test('follows its clock forwards and rises when it goes back', () => {
    const clock = fakeClock();
    const ids = sequentialIds(clock);
    const first = ids.next();
    clock.advance(1);
    const second = ids.next();
    clock.advance(-60_000);
    const third = ids.next();
    expect([third, first, second].toSorted()).toEqual([first, second, third]);
    expect(second.slice(0, 13)).not.toBe(first.slice(0, 13));
  });

  test('refuses a time that does not fit', () => {
    expect(() => sequentialIds(fakeClock(2 ** 48)).next()).toThrow(RangeError);
  });
});
