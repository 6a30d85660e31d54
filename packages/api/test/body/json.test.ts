import { describe, expect, jest, spyOn, test } from 'bun:test';
import { turns } from '@postshelf/application';
import fc from 'fast-check';
import { MAX_JSON_BYTES, readJsonBody } from '../../src/body/json.ts';
import { malformed, refusalOf } from '../support/refusals.ts';
import { bodyOf, connect, cutAt, requestOf, sent } from '../support/sources.ts';

const TIMEOUTS = { idle: 30_000, minimumRate: 0 };
const JSON_TYPE = { 'Content-Type': 'application/json' };
const TOO_LARGE = { code: 'too_large', message: 'The request body must not be larger than 1 MB.' } as const;
const NOT_JSON = malformed('The request body is not valid JSON.');
const NO_OBJECT = malformed('The request body must be a JSON object.');

const read = (text: string | Uint8Array, headers: Readonly<Record<string, string>> = JSON_TYPE) =>
  readJsonBody(bodyOf(sent([text], headers), TIMEOUTS));

/** Returns a JSON object of this many bytes. */
const objectOf = (bytes: number): string => `{"a":"${'x'.repeat(bytes - '{"a":""}'.length)}"}`;

describe('a JSON body', () => {
  test('is parsed into its object, however it is split into chunks', async () => {
    const someObject = fc.dictionary(fc.string({ unit: 'grapheme' }), fc.jsonValue());
    await fc.assert(
      fc.asyncProperty(someObject, fc.array(fc.nat(200)), async (object, cuts) => {
        const bytes = new TextEncoder().encode(JSON.stringify(object));
        const body = await readJsonBody(bodyOf(sent(cutAt(bytes, cuts), JSON_TYPE), TIMEOUTS));
        expect(JSON.stringify(body)).toBe(JSON.stringify(object));
      }),
    );
  });

  test('may be missing, whatever the Content-Type', async () => {
    for (const headers of [{}, JSON_TYPE, { 'Content-Type': 'text/plain' }]) {
      expect(await readJsonBody(bodyOf(requestOf(null, headers), TIMEOUTS))).toEqual({});
      expect(await readJsonBody(bodyOf(sent([], headers), TIMEOUTS))).toEqual({});
    }
  });

  test.each([
    ['application/json'],
    ['APPLICATION/JSON'],
    ['application/json; charset=utf-8'],
    ['application/json ;x=y'],
    ['application/problem+json'],
    ['application/vnd.api+json'],
  ])('is accepted with the Content-Type %s', async (type) => {
    expect(await read('{"a":1}', { 'Content-Type': type })).toEqual({ a: 1 });
  });

  test.each([
    ['text/plain'],
    ['text/json'],
    ['application/jsonp'],
    ['application/x-www-form-urlencoded'],
    ['application/+json'],
    ['json'],
    [''],
  ])('is rejected with the Content-Type %j', async (type) => {
    const refused = read('{"a":1}', { 'Content-Type': type });
    expect(await refusalOf(refused)).toEqual({ code: 'unsupported_media_type', accepted: ['application/json'] });
  });

  test('is rejected if it is compressed', async () => {
    const headers = { 'Content-Type': 'application/json', 'Content-Encoding': 'gzip' };
    expect(await refusalOf(read(Bun.gzipSync('{"a":1}'), headers))).toEqual({ code: 'unsupported_encoding' });
    expect(await read('{"a":1}', { ...headers, 'Content-Encoding': 'identity' })).toEqual({ a: 1 });
  });

  test.each([
    ['truncated text', '{"a":'],
    ['UTF-16', new Uint8Array([0xff, 0xfe, 0x7b, 0, 0x7d, 0])],
    ['broken UTF-8', new Uint8Array([0x7b, 0x22, 0xc3, 0x22, 0x3a, 0x31, 0x7d])],
    ['a surrogate in UTF-8', new Uint8Array([0x7b, 0x22, 0xed, 0xa0, 0x80, 0x22, 0x3a, 0x31, 0x7d])],
    ['400,000 nested levels', '[['.repeat(200_000)],
  ])('is rejected if it contains %s', async (_, text) => {
    expect(await refusalOf(read(text))).toEqual(NOT_JSON);
  });

  test.each([['null'], ['[]'], ['[{}]'], ['1'], ['"a"'], ['true']])(
    'is rejected if it is %s instead of an object',
    async (text) => {
      expect(await refusalOf(read(text))).toEqual(NO_OBJECT);
    },
  );

  test('is joined into one buffer, and the memory of its chunks is freed', async () => {
    const chunks = Array.from('{"a":1}', (byte) => new TextEncoder().encode(byte));
    expect(await readJsonBody(bodyOf(sent(chunks, JSON_TYPE), TIMEOUTS))).toEqual({ a: 1 });
    expect(chunks.map(({ byteLength }) => byteLength)).toEqual(chunks.map(() => 0));
  });

  test.each([
    ['above 4 KB is parsed in its own turn of the event loop', 4097, 1],
    ['of 4 KB is parsed without waiting for a turn', 4096, 0],
  ])('%s', async (_, bytes, waits) => {
    const turn = Promise.withResolvers<void>();
    using next = spyOn(turns, 'next').mockReturnValue(turn.promise);
    const parsed = jest.fn();
    const done = read(objectOf(bytes)).then(parsed);
    for (let steps = 0; steps < 10; steps += 1) await new Promise((resolve) => setImmediate(resolve));
    expect(next).toHaveBeenCalledTimes(waits);
    expect(parsed).toHaveBeenCalledTimes(1 - waits);
    turn.resolve();
    await done;
  });

  test('may begin with a byte order mark', async () => {
    expect(await read('\ufeff{"a":1}')).toEqual({ a: 1 });
  });

  test('cannot change a prototype', async () => {
    const body = await read('{"__proto__":{"isAdmin":true},"constructor":{"prototype":{"isAdmin":true}}}');
    expect(Object.keys(body)).toEqual(['__proto__', 'constructor']);
    expect(Object.getPrototypeOf(body)).toBe(Object.prototype);
    expect('isAdmin' in {}).toBe(false);
  });
});

describe('the limits for JSON bodies', () => {
  test('accept a body of exactly 1 MB', async () => {
    expect(Object.keys(await read(objectOf(MAX_JSON_BYTES)))).toEqual(['a']);
  });

  test('reject a body of 1 MB and one byte', async () => {
    expect(await refusalOf(read(objectOf(MAX_JSON_BYTES + 1)))).toEqual(TOO_LARGE);
  });

  test('reject a larger Content-Length without reading the body', async () => {
    const client = connect({ ...JSON_TYPE, 'Content-Length': String(MAX_JSON_BYTES + 1) });
    expect(await refusalOf(readJsonBody(bodyOf(client.request, TIMEOUTS)))).toEqual(TOO_LARGE);
    expect(client.asked).toBe(0);
  });

  test('reject a slow body after 30 seconds, whatever its rate', async () => {
    jest.useFakeTimers();
    try {
      const client = connect(JSON_TYPE);
      const refused = refusalOf(readJsonBody(bodyOf(client.request, { idle: 60_000, minimumRate: 0 })));
      for (let second = 0; second < 31; second += 1) {
        client.send(new Uint8Array(1));
        for (let turn = 0; turn < 10; turn += 1) await Promise.resolve();
        jest.advanceTimersByTime(1_000);
      }
      expect(await refused).toMatchObject({ code: 'too_slow' });
    } finally {
      jest.useRealTimers();
    }
  });

  test('reserve twice the Content-Length in memory, or twice the maximum for a chunked body', async () => {
    const held: number[] = [];
    const source = (request: Request) => ({
      ...bodyOf(request, TIMEOUTS),
      hold: (bytes: number) => void held.push(bytes),
    });
    await readJsonBody(source(sent(['{}'], { ...JSON_TYPE, 'Content-Length': '2' })));
    await readJsonBody(source(sent(['{}'], JSON_TYPE)));
    expect(held).toEqual([4, 2 * MAX_JSON_BYTES]);
  });

  test('reject an endless body and cancel its stream', async () => {
    const client = connect(JSON_TYPE);
    const refused = refusalOf(readJsonBody(bodyOf(client.request, TIMEOUTS)));
    for (let chunk = 0; chunk < 20; chunk += 1) client.send(new Uint8Array(MAX_JSON_BYTES / 10));
    expect(await refused).toEqual(TOO_LARGE);
    expect(client.isTurnedAway).toBe(true);
  });

  test('are checked before the Content-Type', async () => {
    const text = { 'Content-Type': 'text/plain' };
    expect(await refusalOf(read(objectOf(MAX_JSON_BYTES + 1), text))).toEqual(TOO_LARGE);
  });
});
