import { expect, test } from 'bun:test';
import { PostshelfError } from '@postshelf/client';
import { retryingQueries } from '../../src/queries/retries.ts';

const { retry, retryDelay } = retryingQueries(2);

test.each([
  ['an error without a response', new TypeError('?'), true],
  ['an unreachable service', new PostshelfError('unreachable', '?'), true],
  ['a response of 500', new PostshelfError('refused', '?', { status: 500 }), true],
  ['a response of 429', new PostshelfError('refused', '?', { status: 429 }), true],
  ['a response of 422', new PostshelfError('refused', '?', { status: 422 }), false],
  ['a page without a token', new PostshelfError('no_token', '?'), false],
])('a query is retried twice unless retrying is useless: %s', (_, error, isRepeated) => {
  expect([0, 1, 2].map((failures) => retry(failures, error))).toEqual([isRepeated, isRepeated, false]);
});

test('pauses between retries grow to at most five seconds', () => {
  expect([0, 1, 2, 3, 4, 9].map((failures) => retryDelay(failures))).toEqual([500, 1000, 2000, 4000, 5000, 5000]);
});

test('a pause is at least as long as the service asks', () => {
  const busy = new PostshelfError('refused', '?', { status: 429, retryAfter: 3 });
  expect([0, 9].map((failures) => retryDelay(failures, busy))).toEqual([3000, 5000]);
});
