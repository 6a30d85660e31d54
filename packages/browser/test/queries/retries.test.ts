import { expect, test } from 'bun:test';
import { PostshelfError } from '@postshelf/client';
import { retryingQueries } from '../../src/queries/retries.ts';

const { retry, retryDelay } = retryingQueries(2);

test.each([
  ['an error that is no answer', new TypeError('?'), true],
  ['a service that is not reached', new PostshelfError('unreachable', '?'), true],
  ['an answer of 500', new PostshelfError('refused', '?', { status: 500 }), true],
  ['an answer of 429', new PostshelfError('refused', '?', { status: 429 }), true],
  ['an answer of 422', new PostshelfError('refused', '?', { status: 422 }), false],
  ['a page without a token', new PostshelfError('no_token', '?'), false],
])('a query is repeated twice, unless that is useless: %s', (_, error, isRepeated) => {
  expect([0, 1, 2].map((failures) => retry(failures, error))).toEqual([isRepeated, isRepeated, false]);
});

test('pauses between repeats grow up to five seconds', () => {
  expect([0, 1, 2, 3, 4, 9].map(retryDelay)).toEqual([500, 1000, 2000, 4000, 5000, 5000]);
});
