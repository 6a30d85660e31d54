import { describe, expect, test } from 'bun:test';
import fc from 'fast-check';
import { readLines } from '../../src/body/ndjson.ts';

const LIMIT = 8;

async function* chunksOf(bytes: Uint8Array, cuts: readonly number[]): AsyncGenerator<Uint8Array> {
  const ends = [...cuts.map((cut) => cut % (bytes.length + 1)), bytes.length].sort((a, b) => a - b);
  let start = 0;
  for (const end of ends) {
    yield bytes.subarray(start, end);
    start = end;
  }
}

async function linesOf(text: string, cuts: readonly number[] = []): Promise<readonly (string | null)[]> {
  const lines: (string | null)[] = [];
  for await (const { number, bytes } of readLines(chunksOf(Buffer.from(text), cuts), LIMIT)) {
    expect(number).toBe(lines.length + 1);
    lines.push(bytes && Buffer.from(bytes).toString());
  }
  return lines;
}

describe('readLines', () => {
  test.each([
    ['', []],
    ['a', ['a']],
    ['a\n', ['a']],
    ['a\nb', ['a', 'b']],
    ['a\r\nb\r\n', ['a', 'b']],
    ['\n\n', ['', '']],
    ['\r', ['']],
    ['a\rb', ['a\rb']],
    ['12345678', ['12345678']],
    ['123456789', [null]],
    ['123456789\nb\n', [null, 'b']],
    ['a\n1234567890123456789', ['a', null]],
  ])('splits %j', async (text, lines) => {
    expect(await linesOf(text)).toEqual(lines);
  });

  test('gives the same lines however the body is split into chunks', async () => {
    const text = fc.string({ unit: fc.constantFrom('a', 'é', '\n', '\r', '12345'), maxLength: 30 });
    await fc.assert(
      fc.asyncProperty(text, fc.array(fc.nat(200), { maxLength: 6 }), async (body, cuts) => {
        expect(await linesOf(body, cuts)).toEqual(await linesOf(body));
      }),
    );
  });
});
