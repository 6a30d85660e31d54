import { describe, expect, test } from 'bun:test';
import { textLength } from '../../src/readiness/text-limits.ts';

describe('the length of a text', () => {
  test.each([
    ['instagram', 'Sand', 4, 2_200],
    ['Google Business', 'Sand', 4, 1_500],
    ['x', 'See https://example.com/a/very/long/address/that/is/shortened', 27, 280],
    ['X', '海と砂', 6, 280],
    ['x', '👩‍👩‍👧', 2, 280],
    ['bluesky', '👩‍👩‍👧é', 2, 300],
    ['mastodon', 'https://example.com/a/very/long/address/that/is/counted/as/a/short/one', 23, 500],
    ['tiktok', '👩', 2, 2_200],
  ])('on %s: %p counts as %i of at most %i characters', (network, text, length, max) => {
    expect(textLength(network, text)).toEqual({ length, max });
  });
  test.each(['', 'toString', 'a club’s board'])('is unknown on %p', (network) => {
    expect(textLength(network, 'Sand')).toBeNull();
  });
});
