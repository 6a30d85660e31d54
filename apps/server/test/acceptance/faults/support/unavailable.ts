import { expect } from 'bun:test';
import { arrayAt, expectErrorShape, type Reply } from '../../support/reply.ts';
import type { World } from '../../support/world.ts';

export const DATABASE = 'The database is unavailable. Try again later.';
export const STORAGE = 'The storage is unavailable.';
export const FULL = 'The storage is full.';

/** "503: the database or the storage is out of reach or full; try again after `Retry-After`", in exactly that form. */
export function expectUnavailable(reply: Reply, message: string): void {
  expect({ status: reply.status, json: reply.json }).toEqual({ status: 503, json: { message } });
  expect(reply.headers.get('retry-after')).toBe('5');
  expectErrorShape(reply);
}

/** Expects `/health` to succeed and `/ready` to fail. @returns the reasons that `/ready` shows to operators */
export async function expectNotReady(world: World): Promise<readonly unknown[]> {
  const ready = await world.call('GET /ready', { token: null });
  expect({ status: ready.status, json: ready.json }).toEqual({
    status: 503,
    json: { message: 'The service is not ready.', reasons: expect.any(Array) },
  });
  const reasons = arrayAt(ready.json, 'reasons');
  for (const reason of reasons) expect(reason).toMatch(/^[^\n]{10,}$/);
  expect((await world.call('GET /health', { token: null })).status).toBe(200);
  return reasons;
}

export async function expectReady(world: World): Promise<void> {
  expect((await world.call('GET /ready', { token: null })).status).toBe(200);
}
