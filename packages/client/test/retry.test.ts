import { expect, test } from 'bun:test';
import { PostshelfError } from '../src/index.ts';
import { repeating } from '../src/retry.ts';

test.each([
  ['repeats', 429, null, 'done'],
  ['repeats', 503, null, 'done'],
  ['gives up', 429, 61, 429],
  ['gives up', 422, null, 422],
  ['gives up', 500, null, 500],
] as const)('%s a call after the status %i with Retry-After %p', async (_, status, retryAfter, outcome) => {
  let calls = 0;
  const call = async () => {
    calls += 1;
    if (calls === 1) throw new PostshelfError('refused', 'Not now.', { status, retryAfter });
    return 'done';
  };
  expect(await repeating(call, 1, undefined).catch(({ status }: PostshelfError) => status)).toBe(outcome);
});
