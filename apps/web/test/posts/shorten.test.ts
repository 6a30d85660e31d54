import { expect, test } from 'bun:test';
import { shorten } from '../../src/posts/shorten.ts';

test.each([
  ['Short', 'Short'],
  ['Twenty characters ok', 'Twenty characters ok'],
  ['The terrace is open until ten', 'The terrace is open…'],
  ['Sommerterrassenkarteneröffnung', 'Sommerterrassenkart…'],
  [`${'a'.repeat(18)}🌊🌊`, `${'a'.repeat(18)}…`],
])('%p in at most 20 characters is %p', (text, short) => {
  expect(shorten(text, 20)).toBe(short);
});
