import { afterAll, beforeAll, describe, expect, test } from 'bun:test';
import { uploadHead } from '../support/big-body.ts';
import { png } from '../support/fixtures.ts';
import { boundary, field, file, multipart, multipartEnd, partHead } from '../support/multipart.ts';
import { openRaw } from '../support/raw.ts';
import { at, expectErrorShape } from '../support/reply.ts';
import { mediaItems } from '../support/shapes.ts';
import { within } from '../support/until.ts';
import { World } from '../support/world.ts';

// The parser of forms is tested in packages/api/test/body/multipart.test.ts.
let world: World;

beforeAll(async () => {
  world = await World.open();
});

afterAll(() => world.close());

const whole = () => multipart([file('a.png', png())]);
const bytes = (...parts: (string | Uint8Array)[]) =>
  Buffer.concat(parts.map((part) => (typeof part === 'string' ? Buffer.from(part) : part)));
const type = `multipart/form-data; boundary=${boundary}`;
/** A body of a single part with these header lines. */
const onePart = (head: string, content: string | Uint8Array) =>
  bytes(`--${boundary}\r\n${head}\r\n\r\n`, content, '\r\n', multipartEnd());
const disposition = 'Content-Disposition: form-data';

describe('a malformed upload', () => {
  const openFilePart = () => bytes(partHead({ name: 'files[]', filename: 'a.png' }), png());
  const rows: readonly [string, string, () => Uint8Array][] = [
    ['no boundary', 'multipart/form-data', () => whole().bytes],
    ['a boundary that the body does not have', 'multipart/form-data; boundary=other', () => whole().bytes],
    ['an empty body', type, () => new Uint8Array()],
    ['a part without headers', type, () => bytes(`--${boundary}\r\n\r\n`, png(), '\r\n', multipartEnd())],
    ['a megabyte of garbage', type, () => new Uint8Array(1024 * 1024).fill(0x41)],
    ['a body that is cut off inside a file', type, () => openFilePart().subarray(0, -20)],
    ['a JSON body', type, () => bytes('{"url":"https://example.com/a.png"}')],
    ['a part without a name', type, () => onePart(`${disposition}; filename="a.png"`, png())],
    [
      'a part header of 200 kB',
      type,
      () => onePart(`X-Long: ${'x'.repeat(200_000)}\r\n${disposition}; name="files[]"; filename="a.png"`, 'x'),
    ],
    [
      'ten thousand part headers',
      type,
      () => bytes(`--${boundary}\r\n${'X-A: b\r\n'.repeat(10_000)}\r\nx\r\n`, multipartEnd()),
    ],
    ['a hundred thousand boundaries', type, () => bytes(`--${boundary}\r\n\r\n\r\n`.repeat(100_000), multipartEnd())],
    [
      'ten thousand fields',
      type,
      () => multipart(Array.from({ length: 10_000 }, (_, index) => field(`f${index}`, 'x'))).bytes,
    ],
    ['a label of twenty megabytes', type, () => multipart([field('label', 'l'.repeat(20 * 1024 * 1024))]).bytes],
    [
      'a label that is not valid UTF-8',
      type,
      () => onePart(`${disposition}; name="label"`, Buffer.from('ff80fe', 'hex')),
    ],
  ];
  for (const [name, contentType, body] of rows) {
    test(`is refused, and leaves nothing, with ${name}`, async () => {
      const before = await world.files();
      const reply = await world.upload({ contentType, bytes: body() });
      expect({ status: reply.status >= 400 && reply.status < 500, body: reply.text }).toEqual({
        status: true,
        body: reply.text,
      });
      expectErrorShape(reply);
      await world.untilFilesAre(before);
      expect((await world.call('GET /health')).status).toBe(200);
    });
  }
});

describe('an upload that RFC 2046 and RFC 7578 allow', () => {
  const forms: readonly [string, string, () => Uint8Array][] = [
    ['a quoted boundary', `multipart/form-data; boundary="${boundary}"`, () => whole().bytes],
    [
      'a boundary with every special character that is allowed',
      `multipart/form-data; boundary="'()+_,-./:=? x"`,
      () => multipart([file('a.png', png())], "'()+_,-./:=? x").bytes,
    ],
    [
      'a type in mixed case, with a charset',
      `Multipart/Form-Data; charset=utf-8; boundary=${boundary}`,
      () => whole().bytes,
    ],
    [
      'a preamble and an epilogue',
      type,
      () => bytes('This is a preamble.\r\n', whole().bytes, 'This is an epilogue.\r\n'),
    ],
    [
      'header names in lower case, and an additional header',
      type,
      () => onePart('X-More: y\r\ncontent-disposition: FORM-DATA; name="files[]"; filename="a.png"', png()),
    ],
  ];
  for (const [name, contentType, body] of forms) {
    test(`is accepted with ${name}`, async () => {
      const reply = await world.upload({ contentType, bytes: body() });
      expect({ status: reply.status, body: reply.text.slice(0, 200) }).toMatchObject({ status: 201 });
      const response = await fetch(String(mediaItems(reply)[0]?.link));
      expect(Buffer.compare(Buffer.from(await response.arrayBuffer()), Buffer.from(png()))).toBe(0);
    });
  }

  test('is stored completely if a file contains the beginning of a boundary', async () => {
    const tricky = bytes(png(), `\r\n--${boundary.slice(0, -1)}\r\n--\r\n-`, '\r\n--', '\r\n');
    const item = await world.storeOne(file('a.png', tricky));
    expect(item.size).toBe(tricky.length);
    const response = await fetch(item.link);
    expect(Buffer.compare(Buffer.from(await response.arrayBuffer()), tricky)).toBe(0);
  });

  test('is accepted with Expect: 100-continue', async () => {
    const connection = await openRaw(world.server.port, 'POST');
    const body = whole().bytes;
    await connection.send(uploadHead(world, body.length, 'Expect: 100-continue'));
    await connection.send(body);
    expect((await within('the answer', connection.reply))?.status).toBe(201);
    connection.hangUp();
  });
});

test('twenty concurrent uploads each get their own items', async () => {
  const replies = await Promise.all(
    Array.from({ length: 20 }, (_, index) =>
      world.upload([file(`p-${index}.png`, png()), field('label', `l-${index}`)]),
    ),
  );
  for (const [index, reply] of replies.entries()) {
    expect(reply.status).toBe(201);
    expect(mediaItems(reply)[0]).toMatchObject({ name: `p-${index}.png`, label: `l-${index}` });
  }
  expect(new Set(replies.map((reply) => at(reply.json, 'data', 0, 'id'))).size).toBe(20);
});
