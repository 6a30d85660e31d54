import { describe, expect, test } from 'bun:test';
import fc from 'fast-check';
import { InvalidJson, parseJson } from '../../src/body/json-text.ts';

const parse = (text: string): unknown => parseJson(Buffer.from(text));

describe('JSON parsing', () => {
  test('gives the same value as JSON.parse', () => {
    fc.assert(fc.property(fc.json(), (text) => expect(parse(text)).toEqual(JSON.parse(text))));
  });

  test('accepts at most 64 nested levels, not counting brackets in strings', () => {
    const nested = (levels: number): string => '['.repeat(levels) + ']'.repeat(levels);
    expect(parse(nested(64))).toEqual(JSON.parse(nested(64)));
    expect(() => parse(nested(65))).toThrow(new InvalidJson('JSON nested at most 64 levels deep'));
    expect(() => parse('[{"a":'.repeat(33))).toThrow(InvalidJson);
    const text = JSON.stringify(['['.repeat(100), '\\"[{'.repeat(100)]);
    expect(parse(text)).toEqual(JSON.parse(text));
    const wide = `[${Array(100).fill('[[]]').join()}]`;
    expect(parse(wide)).toEqual(JSON.parse(wide));
  });

  test('accepts at most 11,000 names and values, not counting commas and colons in strings', () => {
    const keys = (count: number): string =>
      JSON.stringify(Object.fromEntries(Array.from({ length: count }, (_, index) => [index, 1])));
    // What counts is the object itself, and a name and a value for each key.
    expect(parse(keys(5499))).toEqual(JSON.parse(keys(5499)));
    const refused = new InvalidJson('JSON with at most 11000 names and values');
    expect(() => parse(keys(5501))).toThrow(refused);
    expect(() => parse(`[${'1,'.repeat(11_000)}1]`)).toThrow(refused);
    expect(() => parse(`[${'[],'.repeat(6000)}1]`)).toThrow(refused);
    expect(() => parse(`{"a":${keys(80_000)}}`)).toThrow(refused);
    const text = JSON.stringify([',:'.repeat(20_000), '\\"[{,:'.repeat(5000)]);
    expect(parse(text)).toEqual(JSON.parse(text));
  });

  test('rejects invalid JSON and invalid UTF-8', () => {
    for (const text of ['', ' ', '[', '{a: 1}', 'undefined', "'x'", '1 2', '\u{feff}\u{feff}{}'])
      expect(() => parse(text)).toThrow(new InvalidJson('valid JSON'));
    expect(() => parseJson(Uint8Array.of(0x22, 0xff, 0x22))).toThrow(new InvalidJson('valid UTF-8'));
  });
});
