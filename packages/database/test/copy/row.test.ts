import { describe, expect, test } from 'bun:test';
import { canonical, compareKeys } from '../../src/copy/row.ts';

describe('the canonical text of a row', () => {
  test('is JSON with columns sorted by name, and bytes in Base64', () => {
    const row = { text: 'a "b"\n', bytes: Buffer.from([0, 255]), absent: null, number: 2 ** 40, half: 0.5 };
    expect(canonical(row)).toBe(
      '{"absent":null,"bytes":{"base64":"AP8="},"half":0.5,"number":1099511627776,"text":"a \\"b\\"\\n"}',
    );
    const { text, ...others } = row;
    expect(canonical({ text, ...others })).toBe(canonical(row));
  });

  test('distinguishes similar values', () => {
    const values = [null, 0, '0', '', 'null', '{"base64":""}', new Uint8Array(), Buffer.from('0'), '\0', 'a', 'A'];
    const texts = values.map((value) => canonical({ value }));
    expect(new Set(texts).size).toBe(values.length);
    expect(canonical({ a: 'x","b":"y', b: '' })).not.toBe(canonical({ a: 'x', b: 'y' }));
  });

  for (const value of [2 ** 53, Number.NaN, Number.POSITIVE_INFINITY, undefined, true, 1n, new Date(0)]) {
    test(`is refused for ${typeof value} ${String(value)}, which might not be read back unchanged`, () => {
      expect(() => canonical({ value })).toThrow(TypeError);
    });
  }
});

test('keys are compared column by column, text by code units and numbers by value', () => {
  const inOrder = [
    ['01890000-0000-7000-8000-000000000009', 2],
    ['01890000-0000-7000-8000-000000000009', 10],
    ['01890000-0000-7000-8000-00000000000a', 0],
    ['f1890000-0000-7000-8000-000000000000', 0],
  ] as const;
  for (const [i, a] of inOrder.entries()) {
    for (const [j, b] of inOrder.entries()) expect(compareKeys(a, b)).toBe(Math.sign(i - j));
  }
});
