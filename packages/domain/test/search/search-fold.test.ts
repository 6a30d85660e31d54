import { describe, expect, test } from 'bun:test';
import fc from 'fast-check';
import { searchFold } from '../../src/index.ts';
import { hostileText } from '../support/arbitraries.ts';
import { titled } from '../support/titled.ts';

describe('searchFold', () => {
  test.each(
    titled([
      ['cafe', 'Café'],
      ['fenetre', 'FENÊTRE'],
      ['full', 'ＦＵＬＬ'],
      ['ﾊﾝｶｸ', 'ハンカク'],
      ['ﾊﾞ', 'バ'],
      ['ガ', 'ｶﾞ'],
      ['αθηνα', 'Αθήνα'],
      ['ανθρωποσ', 'ἄνθρωπος'],
      ['α', 'ᾼ'],
      ['елка и мои', 'Ёлка и мой'],
      ['tieng viet', 'tiếng Việt'],
      ['istanbul', 'İSTANBUL'],
      ['istanbul', 'ıstanbul'],
      ['strasse', 'Straße'],
      ['film', 'ﬁlm'],
      ['10 km2', '１０　㎞²'],
      ['a', 'a\u0301\u0316\u0489'],
      ["don't", 'don\u2019t'],
      ["l'ete", 'l\u2019été'],
      ["м'ята", 'м\u02bcята'],
      ["hawai'i", 'Hawai\u02bbi'],
      ['צה"ל', 'צה\u05f4ל'],
      ['"draft"', '\u201cdraft\u201d'],
      ['2024 - 2025', '2024 \u2013 2025'],
      ['a-b', 'a\u2011b'],
      ['da nang', 'Đà Nẵng'],
      ['lodz', 'Łódź'],
      ['smorrebrod', 'Smørrebrød'],
      ['hal', 'Ħal'],
      ['tatar', 'Ŧatar'],
      ['\u00f8', '\u01ff'],
      ['donaudampf', 'Donau\u00addampf'],
      ['میخواهم', 'می\u200cخواهم'],
      ['❤', '❤\ufe0f'],
      ['葛', '葛\u{e0100}'],
      ['👨👩', '👨\u200d👩'],
      ['cafe', 'cafe\u200d\u0301'],
      ['', '\u200b\ufeff'],
    ]),
  )('is equal for %s', (_title, one, other) => {
    expect(searchFold(one)).toBe(searchFold(other));
  });

  test.each(
    titled([
      ['が', 'か'],
      ['ﾊﾞ', 'ハ'],
      ['हि', 'ह'],
      ['שָׁלוֹם', 'שלום'],
      ['ð', 'd'],
      ['æ', 'ae'],
      ['a', 'а'],
    ]),
  )('differs for %s', (_title, one, other) => {
    expect(searchFold(one)).not.toBe(searchFold(other));
  });

  test('ignores case, normal form, width and marks of every letter, and is idempotent', () => {
    const letters = Array.from({ length: 0x110000 }, (_, code) => code)
      .filter((code) => code < 0xd800 || code > 0xdfff)
      .map((code) => String.fromCodePoint(code))
      .filter((letter) => /\p{L}/u.test(letter));
    const differing = letters.filter((letter) => {
      const folded = searchFold(letter);
      const forms = ['NFD', 'NFKC', 'NFKD'].map((form) => letter.normalize(form));
      // In NFKD, some letters, such as ŀ, end with a character that isn't a letter.
      const takesMarks = /[\p{Script=Latin}\p{Script=Greek}\p{Script=Cyrillic}]$/u.test(letter.normalize('NFKD'));
      const marked = takesMarks ? [`${letter}\u0301`] : [];
      return [...forms, ...marked, letter.toLowerCase(), folded].some((same) => searchFold(same) !== folded);
    });
    expect(letters.length).toBeGreaterThan(100_000);
    expect(differing).toEqual([]);
  });

  test('ignores the normal form of whole texts, and is idempotent', () => {
    fc.assert(
      fc.property(hostileText, (text) => {
        const folded = searchFold(text);
        expect(searchFold(folded)).toBe(folded);
        expect(searchFold(text.normalize('NFD'))).toBe(folded);
        expect(searchFold(text.normalize('NFKC'))).toBe(folded);
      }),
      { numRuns: 1000 },
    );
  });
});
