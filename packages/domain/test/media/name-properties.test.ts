import { describe, expect, test } from 'bun:test';
import fc from 'fast-check';
import { codePointLength, extensionOf, inputStem, nameFromFileName, nameFromInput } from '../../src/index.ts';
import { anyMediaType, hostileText } from '../support/arbitraries.ts';

const SEPARATOR_CONTROL_OR_BIDI = /[/\\\u2044\u2215\u29f8\uff0f\uff3c\p{Cc}\p{Bidi_Control}]/u;

const LONE_SURROGATE = /\p{Cs}/u;

describe.each([
  ['nameFromFileName', nameFromFileName],
  ['nameFromInput', nameFromInput],
])('%s of any text', (_name, nameFrom) => {
  test('returns a safe, well-formed, visible file name with the extension of its type', () => {
    fc.assert(
      fc.property(hostileText, anyMediaType, (text, type) => {
        const name = nameFrom(text, type);
        const extension = `.${extensionOf(type)}`;
        const stem = name.slice(0, -extension.length);
        expect(name.endsWith(extension)).toBe(true);
        expect(codePointLength(stem)).toBeWithin(1, 101);
        expect(stem).not.toMatch(/^[\s.]|[\s.]$/u);
        expect(name).not.toMatch(SEPARATOR_CONTROL_OR_BIDI);
        expect(name).not.toMatch(LONE_SURROGATE);
        expect(name.normalize('NFC')).toBe(name);
      }),
      { numRuns: 2000 },
    );
  });

  test('returns the same name when applied to its own result', () => {
    fc.assert(
      fc.property(hostileText, anyMediaType, (text, type) => {
        const name = nameFrom(text, type);
        expect(nameFrom(name, type)).toBe(name);
      }),
      { numRuns: 1000 },
    );
  });

  test('replaces only the extension when applied again with another type', () => {
    fc.assert(
      fc.property(hostileText, anyMediaType, anyMediaType, (text, one, other) => {
        expect(nameFrom(nameFrom(text, one), other)).toBe(nameFrom(text, other));
      }),
      { numRuns: 1000 },
    );
  });
});

test('a name that a user enters is kept whole if its length is allowed', () => {
  fc.assert(
    fc.property(hostileText, anyMediaType, (text, type) => {
      const stem = inputStem(text);
      const length = codePointLength(stem);
      fc.pre(length >= 3 && length <= 100);
      expect(nameFromInput(text, type)).toBe(`${stem}.${extensionOf(type)}`);
    }),
    { numRuns: 1000 },
  );
});
