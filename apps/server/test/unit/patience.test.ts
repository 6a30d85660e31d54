import { afterAll, beforeEach, expect, spyOn, test } from 'bun:test';
import { Refusal } from '@postshelf/domain';
import { Patience, Stopped } from '../../src/commands/import/patience.ts';

const MINUTE = 60_000;

let now = 0;
const clock = spyOn(performance, 'now').mockImplementation(() => now);

beforeEach(() => {
  now = 0;
});

afterAll(() => clock.mockRestore());

/** Makes a call whose attempts take these minutes each and fail, except the last one. Pauses take no real time. */
function callTaking(...minutes: readonly number[]): Promise<string> {
  const patience = new Patience(() => {
    now += MINUTE;
  });
  let attempts = 0;
  return patience.through(async () => {
    now += (minutes[attempts] ?? 0) * MINUTE;
    attempts += 1;
    if (attempts < minutes.length) throw new Refusal({ code: 'unavailable', message: 'The storage is unavailable.' });
    return `attempt ${attempts}`;
  });
}

test('an import stops if its calls have failed for ten minutes', async () => {
  const calls = Array.from({ length: 20 }, () => 0);
  expect(await callTaking(...calls).catch((error: unknown) => error)).toBeInstanceOf(Stopped);
  expect(await callTaking(0, 0, 0, 0, 0)).toBe('attempt 5');
});

test('an import repeats a call that failed after it had run for eleven minutes', async () => {
  expect(await callTaking(0, 11, 0)).toBe('attempt 3');
});
