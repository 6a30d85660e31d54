import { describe, expect, test } from 'bun:test';
import { type Ids, parseUuid } from '@postshelf/domain';

/** Enough ids for many to share a millisecond, and for a 12-bit counter to overflow. */
const MANY = 10_000;
const MINUTE = 60_000;
const UUID_V7 = /^[0-9a-f]{8}-[0-9a-f]{4}-7[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/;

/** The contract of {@link Ids} that use the machine's clock. */
export function describeIds(name: string, open: () => Ids): void {
  describe(`${name} as an id generator`, () => {
    const take = (): string[] => {
      const ids = open();
      return Array.from({ length: MANY }, () => ids.next());
    };

    test('makes canonical UUIDs of version 7 and variant 10', () => {
      for (const id of take()) {
        expect(id).toMatch(UUID_V7);
        expect(parseUuid(id) === id).toBe(true);
      }
    });

    test('makes ids in ascending order, none twice', () => {
      const ids = take();
      const unsorted = ids.filter((id, index) => index > 0 && id <= (ids[index - 1] ?? ''));
      expect(unsorted).toEqual([]);
      expect(new Set(ids).size).toBe(MANY);
    });

    test('begins each with the time in milliseconds', () => {
      for (const id of take()) {
        const time = Number.parseInt(id.slice(0, 8) + id.slice(9, 13), 16);
        expect(Math.abs(time - Date.now())).toBeLessThan(MINUTE);
      }
    });
  });
}
