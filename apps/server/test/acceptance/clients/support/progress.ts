import { expect } from 'bun:test';

/** `onProgress` heard of the files' bytes: ever more, and at last of all. */
export function expectProgress(told: unknown, total: number): void {
  const events = told as { loaded: number; total: number }[];
  expect(events.length).toBeGreaterThan(0);
  for (const event of events) expect(event.total).toBe(total);
  const loaded = events.map((event) => event.loaded);
  expect(loaded).toEqual(loaded.toSorted((a, b) => a - b));
  expect(loaded.at(-1)).toBe(total);
}
