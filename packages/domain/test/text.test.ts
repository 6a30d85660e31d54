import { describe, expect, test } from 'bun:test';
import fc from 'fast-check';
import {
  caseFold,
  codePointLength,
  firstCodePoints,
  hasUnsafe,
  hasUnsafeInProse,
  isLongerThan,
  stripUnsafe,
} from '../src/index.ts';
import { hostileText } from './support/arbitraries.ts';
import { titled } from './support/titled.ts';

describe('codePointLength', () => {
  test.each(
    titled([
      ['', 0],
      ['abc', 3],
      ['é', 1],
      ['e\u0301', 2],
      ['😀', 1],
      ['👩🏽\u200d🚀', 4],
      ['\ud83d', 1],
      ['\ude00\ud83d', 2],
    ]),
  )('%s', (_title, text, length) => {
    expect(codePointLength(text)).toBe(length);
  });

  test('agrees with isLongerThan for any limit', () => {
    fc.assert(
      fc.property(hostileText, fc.nat({ max: 200 }), (text, limit) => {
        expect(isLongerThan(text, limit)).toBe(codePointLength(text) > limit);
      }),
    );
    for (const character of ['x', '😀']) {
      expect(isLongerThan(character.repeat(100), 100)).toBe(false);
      expect(isLongerThan(character.repeat(101), 100)).toBe(true);
    }
  });

  test('adds up over the two parts into which firstCodePoints cuts a text', () => {
    fc.assert(
      fc.property(hostileText, fc.nat({ max: 200 }), (text, limit) => {
        const first = firstCodePoints(text, limit);
        expect(codePointLength(first)).toBe(Math.min(limit, codePointLength(text)));
        expect(text.startsWith(first)).toBe(true);
        expect(codePointLength(text.slice(first.length))).toBe(codePointLength(text) - codePointLength(first));
      }),
    );
  });
});

describe('unsafe text', () => {
  test.each(
    titled([
      ['a\0b', 'ab'],
      ['a\u009fb', 'ab'],
      ['a\tb\r\nc', 'abc'],
      ['\u202eabc', 'abc'],
      ['a\u061cb\u200ec\u200fd\u2066e\u2069', 'abcde'],
      ['a\ud83d', 'a'],
      ['\ude00a', 'a'],
    ]),
  )('is found and stripped on one line: %s', (_title, text, stripped) => {
    expect(hasUnsafe(text)).toBe(true);
    expect(stripUnsafe(text)).toBe(stripped);
  });

  test.each(titled([['a\0b'], ['a\u0085b'], ['a\u000bb'], ['a\u202eb'], ['a\u2067b'], ['a\ud83d'], ['line\n\u0007']]))(
    'is found in prose: %s',
    (_title, text) => {
      expect(hasUnsafeInProse(text)).toBe(true);
    },
  );

  test('excludes tabs and line ends in prose', () => {
    expect(hasUnsafeInProse('one\r\n\ttwo\n')).toBe(false);
  });

  test.each(titled([[''], ['Grüße, 日本!'], ['شكرا'], ['👩🏽\u200d🚀'], ['می\u200cخواهم'], ['a\u00a0b']]))(
    'excludes %s',
    (_title, text) => {
      expect(hasUnsafe(text)).toBe(false);
      expect(hasUnsafeInProse(text)).toBe(false);
    },
  );

  test('is found again on a second call', () => {
    for (const unsafe of [hasUnsafe, hasUnsafeInProse]) {
      expect([unsafe('a\0'), unsafe('a\0'), unsafe('\0a')]).toEqual([true, true, true]);
    }
  });

  test('is exactly what stripUnsafe removes in one pass', () => {
    fc.assert(
      fc.property(hostileText, (text) => {
        const stripped = stripUnsafe(text);
        expect(hasUnsafe(text)).toBe(stripped !== text);
        expect(hasUnsafe(stripped)).toBe(false);
        expect(stripped).not.toMatch(/[\p{Cc}\p{Cs}\p{Bidi_Control}]/u);
        if (hasUnsafeInProse(text)) expect(hasUnsafe(text)).toBe(true);
      }),
      { numRuns: 500 },
    );
  });
});

describe('caseFold', () => {
  test.each(
    titled([
      ['Strand', 'STRAND'],
      ['ΟΔΟΣ', 'οδος'],
      ['οδός', 'ΟΔΌΣ'],
      ['straße', 'STRASSE'],
      ['straße', 'STRAẞE'],
      ['ﬁn', 'FIN'],
      ['e\u0301', 'É'],
      ['İ', 'i\u0307'],
      ['\u212a', 'k'],
      ['ǆ', 'ǅ'],
      ['ա', 'Ա'],
      ['𐐨', '𐐀'],
    ]),
  )('is equal for %s', (_title, one, other) => {
    expect(caseFold(one)).toBe(caseFold(other));
  });

  test.each(
    titled([
      ['a', 'á'],
      ['İ', 'i'],
      ['a', 'а'],
      ['file', 'file '],
      ['ﾊ', 'ハ'],
      ['1', '¹'],
    ]),
  )('differs for %s', (_title, one, other) => {
    expect(caseFold(one)).not.toBe(caseFold(other));
  });

  test('folds a part of a word as it folds the whole word, so that a search finds it', () => {
    expect(caseFold('ΟΔΟΣΗΜΟ')).toContain(caseFold('οδος'));
  });

  test('ignores case and normal form of every letter, and is idempotent', () => {
    const cased = Array.from({ length: 0x110000 }, (_, code) => code)
      .filter((code) => code < 0xd800 || code > 0xdfff)
      .map((code) => String.fromCodePoint(code))
      .filter((letter) => /\p{Changes_When_Casemapped}/u.test(letter));
    const differing = cased.filter((letter) => {
      const folded = caseFold(letter);
      return [letter.toUpperCase(), letter.toLowerCase(), letter.normalize('NFD'), folded].some(
        (same) => caseFold(same) !== folded,
      );
    });
    expect(cased.length).toBeGreaterThan(2500);
    expect(differing).toEqual([]);
  });

  test('ignores case and normal form of whole texts, and is idempotent', () => {
    const letters = ['Σ', 'ς', 'ß', 'ẞ', 'İ', 'i', 'ı', 'ŉ', 'ǰ', 'ΐ', 'ᾳ', 'ﬃ', ' ', 'A'];
    const tricky = fc.constantFrom(...letters, '\u0307', '\u0301', '\u0323');
    const text = fc.oneof(
      fc.array(tricky, { maxLength: 8 }).map((some) => some.join('')),
      hostileText,
    );
    fc.assert(
      fc.property(text, (any) => {
        const composed = any.normalize('NFC');
        const folded = caseFold(any);
        expect(caseFold(folded)).toBe(folded);
        expect(folded.normalize('NFC')).toBe(folded);
        for (const same of [composed, any.normalize('NFD'), composed.toUpperCase(), composed.toLowerCase()]) {
          expect(caseFold(same)).toBe(folded);
        }
      }),
      { numRuns: 1000 },
    );
  });
});
