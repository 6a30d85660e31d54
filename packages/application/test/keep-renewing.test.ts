import { expect, test } from 'bun:test';
import { setTimeout as delay } from 'node:timers/promises';
import { keepRenewing } from '../src/keep-renewing.ts';

const LEASE_TIME = 900;

test.each<[string, number, () => Promise<void>]>([
  ['has failed', 0, () => Promise.reject(new Error('The database is away.'))],
  ['was slow', 250, async () => undefined],
])('a lease is renewed soon after a renewal that %s', async (_, duration, outcome) => {
  const [first, second] = [Promise.withResolvers<void>(), Promise.withResolvers<string>()];
  let renewals = 0;
  const stop = keepRenewing(LEASE_TIME, async () => {
    renewals += 1;
    if (renewals === 2) second.resolve('renewed');
    if (renewals > 1) return;
    await delay(duration);
    first.resolve();
    await outcome();
  });
  await first.promise;
  expect(await Promise.race([second.promise, delay(LEASE_TIME / 6, 'not yet')])).toBe('renewed');
  await stop();
});
