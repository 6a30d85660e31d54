import { afterAll, beforeAll, describe, expect, test } from 'bun:test';
import { uploadHead } from '../support/big-body.ts';
import { png } from '../support/fixtures.ts';
import { boundary, field, file, multipart, partHead } from '../support/multipart.ts';
import { openRaw } from '../support/raw.ts';
import { at, expectErrorShape } from '../support/reply.ts';
import { mediaItems } from '../support/shapes.ts';
import { within } from '../support/until.ts';
import { World } from '../support/world.ts';

// packages/api/test/body/multipart.test.ts tests the parser of forms.
let world: World;

beforeAll(async () => {
  world = await World.open();
});

afterAll(() => world.close());

const whole = () => multipart([file('a.png', png())]);
const bytes = (...parts: (string | Uint8Array)[]) =>
  Buffer.concat(parts.map((part) => (typeof part === 'string' ? Buffer.from(part) : part)));
const type = `multipart/form-data; boundary=${boundary}`;

describe('a malformed upload', () => {
  const openFilePart = () => bytes(partHead({ name: 'files[]', filename: 'a.png' }), png());
  const rows: readonly [string, string, () => Uint8Array][] = [
    ['no boundary', 'multipart/form-data', () => whole().bytes],
    ['a megabyte of garbage', type, () => new Uint8Array(1024 * 1024).fill(0x41)],
    ['a body that is cut off inside a file', type, () => openFilePart().subarray(0, -20)],
    [
      'ten thousand fields',
      type,
      () => multipart(Array.from({ length: 10_000 }, (_, index) => field(`f${index}`, 'x'))).bytes,
    ],
    ['a label of twenty megabytes', type, () => multipart([field('label', 'l'.repeat(20 * 1024 * 1024))]).bytes],
  ];
  for (const [name, contentType, body] of rows) {
    test(`with ${name} is refused, and leaves nothing behind`, async () => {
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
  test('is accepted if its boundary has every special character that is allowed', async () => {
    const own = "'()+_,-./:=? x";
    const { bytes } = multipart([file('a.png', png())], own);
    const reply = await world.upload({ contentType: `multipart/form-data; boundary="${own}"`, bytes });
    expect({ status: reply.status, body: reply.text.slice(0, 200) }).toMatchObject({ status: 201 });
    const response = await fetch(String(mediaItems(reply)[0]?.link));
    expect(Buffer.compare(Buffer.from(await response.arrayBuffer()), Buffer.from(png()))).toBe(0);
  });

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
