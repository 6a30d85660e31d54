import { expect, test } from 'bun:test';
import { LISTED_TEXT_BYTES, listedText, MAX_LISTED_TEXT } from '../../src/index.ts';

test.each(['x', 'ä', '語', '🌞'])('a listed text is cut after ten thousand characters: %s', (character) => {
  const whole = character.repeat(MAX_LISTED_TEXT);
  expect(listedText(whole)).toBe(whole);
  expect(listedText(`${whole}x`)).toBe(whole);
  expect(listedText(`${whole}${whole}${whole}`)).toBe(whole);
  expect(Buffer.byteLength(whole)).toBeLessThan(LISTED_TEXT_BYTES);
});

test('a listed text is not cut within a character', () => {
  const text = `x${'🌞'.repeat(MAX_LISTED_TEXT)}`;
  expect(listedText(text)).toBe(`x${'🌞'.repeat(MAX_LISTED_TEXT - 1)}`);
});
