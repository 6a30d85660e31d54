import { afterAll, beforeEach, expect, spyOn, test } from 'bun:test';
import { Refusal } from '@postshelf/domain';
import { thrownBy } from '@postshelf/testing/outcomes';
import { Library } from '../../src/commands/import/library.ts';
import { Patience, Stopped } from '../../src/commands/import/patience.ts';
import { CommandError } from '../../src/commands/run.ts';

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

test('an import waits a minute for the first answer of the service, and then names its address', async () => {
  const reasons: string[] = [];
  const patience = new Patience((reason) => {
    reasons.push(reason);
    now += MINUTE / 2 + 1;
  });
  const url = 'http://127.0.0.1:9';
  expect(await thrownBy(Library.open({ url, token: 'none' }, undefined, [], patience))).toEqual(
    new CommandError(`${url}: The service could not be reached. That was so for 1 minute.`),
  );
  expect(reasons).toEqual(Array(2).fill('The service could not be reached.'));
});
