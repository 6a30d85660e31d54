import { expect } from 'bun:test';
import type { Slice } from '@postshelf/domain';

/**
 * Expects a list to contain exactly these items, in this order. Requests several slices, and expects the total with
 * each.
 */
export async function expectSlices<Item>(
  list: (slice: Slice) => Promise<{ readonly items: readonly Item[]; readonly total: number }>,
  items: readonly Item[],
): Promise<void> {
  const total = items.length;
  for (const [offset, limit] of [
    [0, 100],
    [0, 2],
    [1, 2],
    [total - 1, 2],
    [total, 2],
    [(2 ** 31 - 2) * 100, 100],
  ] as const) {
    expect(await list({ offset, limit })).toEqual({ items: items.slice(offset, offset + limit), total });
  }
}
