import { afterAll, beforeAll, describe, expect, test } from 'bun:test';
import { createHash } from 'node:crypto';
import { bigBody, perFileLimit, sendAll, uploadBig, uploadHead } from '../support/big-body.ts';
import { hasFfmpeg } from '../support/ffmpeg.ts';
import { bigMp4, png } from '../support/fixtures.ts';
import { boundary, file, multipart, partHead } from '../support/multipart.ts';
import { openRaw, type RawConnection } from '../support/raw.ts';
import { at, expectErrorShape } from '../support/reply.ts';
import { mediaItems } from '../support/shapes.ts';
import { within } from '../support/until.ts';
import { World } from '../support/world.ts';

let world: World;
beforeAll(async () => {
  world = await World.open();
  await world.token('reader', '{workspace}', ['--scope', 'media:read']);
});
afterAll(() => world.close());

describe('the limit of 200 MB per file', () => {
  test('accepts exactly 200 MB, and keeps the file unchanged', async () => {
    const reply = await uploadBig(world, [perFileLimit]);
    expect(reply?.status).toBe(201);
    const [item] = reply === undefined ? [] : mediaItems(reply);
    expect(item).toMatchObject({ status: 'active', size: perFileLimit, width: 64, height: 48, time: 2 });
    if (item && hasFfmpeg) expect((await world.covered(item)).thumbnail).not.toBeNull();
    const { head, zeros, tail } = bigMp4(perFileLimit);
    const sent = createHash('sha256').update(head).update(Buffer.alloc(zeros)).update(tail).digest('hex');
    const received = createHash('sha256');
    const response = await fetch(String(item?.link));
    for await (const chunk of response.body ?? []) received.update(chunk);
    expect(received.digest('hex')).toBe(sent);
    await world.call(`DELETE /media_contents/${item?.id}`);
  });

  test('refuses one byte more with 413 and a hint to presign, and keeps no file of the request', async () => {
    const before = await world.files();
    const reply = await uploadBig(world, [100_000, perFileLimit + 1]);
    if (reply === undefined) throw new Error('The connection was closed without an answer.');
    expect(reply.status).toBe(413);
    expectErrorShape(reply);
    expect(reply.json).toEqual({ message: expect.stringMatching(/presign/i) });
    await world.untilFilesAre(before);
    const list = await world.call('GET /workspaces/{workspace}/media_contents');
    expect(at(list.json, 'meta', 'total')).toBe(0);
  });

  test('refuses a far larger request with 413, without reading it all', async () => {
    const before = await world.files();
    const connection = await openRaw(world.server.port, 'POST');
    await connection.send(uploadHead(world, 64 * 1024 ** 3));
    const body = bigBody([3 * 1024 ** 3]);
    const sent = await sendAll(connection, body.chunks());
    const reply = await within('the answer', connection.reply);
    connection.hangUp();
    expect(reply?.status).toBe(413);
    expect(sent).toBeLessThan(1024 ** 3);
    await world.untilFilesAre(before);
  });
});

describe('an upload', () => {
  /** Row: the reason for the refusal, a change to the head of the request, and the status of the answer. */
  const rows: readonly [string, (head: string) => string, number][] = [
    ['no token', (head) => head.replace(/Authorization: [^\r]+\r\n/, ''), 401],
    ['a token without the scope', (head) => head.replace(String(world.tokens.all), String(world.tokens.reader)), 403],
    [
      'the id of another workspace',
      (head) => head.replace(String(world.ids.workspace), String(world.ids.foreign)),
      404,
    ],
    ['a type other than multipart', (head) => head.replace(/Content-Type: [^\r]+/, 'Content-Type: video/mp4'), 415],
  ];
  for (const [name, change, status] of rows) {
    test(`with ${name} is answered ${status} before its body is received, and leaves nothing behind`, async () => {
      const before = await world.files();
      const body = bigBody([perFileLimit, perFileLimit, perFileLimit, perFileLimit, perFileLimit]);
      const connection = await openRaw(world.server.port, 'POST');
      await connection.send(change(uploadHead(world, body.length)));
      const sent = await sendAll(connection, body.chunks());
      const reply = await within('the answer', connection.reply);
      connection.hangUp();
      if (reply === undefined) throw new Error('The connection was closed without an answer.');
      expect(reply.status).toBe(status);
      expectErrorShape(reply);
      expect(sent).toBeLessThan(body.length / 2);
      await world.untilFilesAre(before);
    });
  }
});

describe('a client that disconnects', () => {
  let before: string[];
  beforeAll(async () => {
    await world.store(file('kept.png', png()));
    before = await world.files();
  });

  /** Row: where the client disconnects, and the bytes that it has sent by then. */
  const rows: readonly [string, () => Uint8Array][] = [
    [
      'in the middle of the second file',
      () => {
        const first = Buffer.concat([partHead({ name: 'files[]', filename: 'a.png' }), png(), Buffer.from('\r\n')]);
        return Buffer.concat([
          first,
          partHead({ name: 'files[]', filename: 'b.png' }),
          png(),
          new Uint8Array(3_000_000),
        ]);
      },
    ],
    [
      'just before the last boundary',
      () =>
        multipart([file('a.png', Buffer.concat([png(), new Uint8Array(3_000_000)]))]).bytes.subarray(
          0,
          -boundary.length,
        ),
    ],
  ];
  for (const [name, body] of rows) {
    test(`leaves nothing ${name}`, async () => {
      const connection = await openRaw(world.server.port, 'POST');
      await connection.send(uploadHead(world, 100_000_000));
      await connection.send(body());
      await world.untilReceiving(before);
      connection.hangUp();
      await within('the connection to close', connection.closed);
      await world.untilFilesAre(before);
      const list = await world.call('GET /workspaces/{workspace}/media_contents');
      expect(at(list.json, 'meta', 'total')).toBe(1);
    });
  }

  test('leaves nothing, even if twenty clients do so concurrently', async () => {
    const connections: RawConnection[] = [];
    for (let index = 0; index < 20; index++) {
      const connection = await openRaw(world.server.port, 'POST');
      await connection.send(uploadHead(world, 'chunked'));
      const start = Buffer.concat([partHead({ name: 'files[]', filename: 'a.png' }), png(), new Uint8Array(1_200_000)]);
      await connection.send(
        Buffer.concat([Buffer.from(`${start.length.toString(16)}\r\n`), start, Buffer.from('\r\n')]),
      );
      connections.push(connection);
    }
    await world.untilReceiving(before);
    for (const connection of connections) connection.hangUp();
    await world.untilFilesAre(before);
    expect((await world.upload([file('after.png', png())])).status).toBe(201);
  });
});

describe('a slow upload', () => {
  let world: World;
  let before: string[];
  beforeAll(async () => {
    world = await World.open({ UPLOAD_IDLE_TIMEOUT_MS: '1000', UPLOAD_MIN_BYTES_PER_SECOND: '100000' });
    await world.store(file('kept.png', png()));
    before = await world.files();
  });
  afterAll(() => world.close());

  /** Checks that the server closes the connection, after a 4xx response or none, and stores nothing. */
  async function expectEnded(connection: RawConnection): Promise<void> {
    const reply = await within('the end of the request', connection.reply, 40_000);
    if (reply !== undefined) {
      expect(reply.status).toBeGreaterThanOrEqual(400);
      expect(reply.status).toBeLessThan(500);
      expectErrorShape(reply);
    }
    await within('the connection to close', connection.closed);
    await world.untilFilesAre(before);
  }

  const stalls: readonly [string, () => Uint8Array][] = [
    [
      'inside a file',
      () => Buffer.concat([partHead({ name: 'files[]', filename: 'a.png' }), png(), new Uint8Array(1_000_000)]),
    ],
    ['before the last boundary', () => multipart([file('a.png', png())]).bytes.subarray(0, -boundary.length)],
  ];
  for (const [name, body] of stalls) {
    test(`is ended if its body stalls ${name}`, async () => {
      const connection = await openRaw(world.server.port, 'POST');
      await connection.send(uploadHead(world, 2_000_000));
      await connection.send(body());
      await expectEnded(connection);
    });
  }

  test('is ended if its body arrives too slowly without ever stalling', async () => {
    const connection = await openRaw(world.server.port, 'POST');
    await connection.send(uploadHead(world, 2_000_000));
    await connection.send(Buffer.concat([partHead({ name: 'files[]', filename: 'a.png' }), png()]));
    const drip = setInterval(() => void connection.send(new Uint8Array(10)), 100);
    try {
      await expectEnded(connection);
    } finally {
      clearInterval(drip);
    }
  });

  test('is not ended if its body arrives fast enough', async () => {
    expect((await world.upload([file('fine.png', png())])).status).toBe(201);
  });
});
