import { expect, test } from 'bun:test';
import { LISTED_TEXT_BYTES, listedText, MAX_LISTED_TEXT } from '../../src/index.ts';

test.each(['x', 'ä', '語', '🌞'])('a listed text has at most ten thousand characters of %s', (character) => {
  const whole = character.repeat(MAX_LISTED_TEXT);
  expect(listedText(whole)).toBe(whole);
  expect(listedText(`${whole}x`)).toBe(whole);
  expect(listedText(`${whole}${whole}${whole}`)).toBe(whole);
  expect(Buffer.byteLength(whole)).toBeLessThan(LISTED_TEXT_BYTES);
});

test('a listed text ends with a whole character', () => {
  const text = `x${'🌞'.repeat(MAX_LISTED_TEXT)}`;
  expect(listedText(text)).toBe(`x${'🌞'.repeat(MAX_LISTED_TEXT - 1)}`);
});
