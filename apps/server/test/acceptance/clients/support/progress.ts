import { expect } from 'bun:test';

/** Checks that `onProgress` got increasing numbers of bytes, and finally the total. */
export function expectProgress(reports: unknown, total: number): void {
  const events = reports as { loaded: number; total: number }[];
  expect(events.length).toBeGreaterThan(0);
  for (const event of events) expect(event.total).toBe(total);
  const loaded = events.map((event) => event.loaded);
  expect(loaded).toEqual(loaded.toSorted((a, b) => a - b));
  expect(loaded.at(-1)).toBe(total);
}
