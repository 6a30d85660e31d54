import { afterAll, beforeAll, describe, expect, test } from 'bun:test';
import { Readable } from 'node:stream';
import { createGzip } from 'node:zlib';
import * as fixtures from '../support/fixtures.ts';
import { sized } from '../support/long.ts';
import { expectInvalid } from '../support/reply.ts';
import { freePort } from '../support/server.ts';
import { World } from '../support/world.ts';
import { cutAfter, head, inTurn, raw, sendZeros, serve, status } from './support/answers.ts';
import { libraryLimit, megabyte, movie } from './support/files.ts';
import {
  accepted,
  eventually,
  expectActive,
  expectFailed,
  filesOf,
  importUrl,
  leftovers,
  listed,
  loopback,
  settled,
  show,
  withoutCovers,
} from './support/imports.ts';
import { type Answer, Origin } from './support/origin.ts';

let world: World;
let origin: Origin;

beforeAll(async () => {
  // Both addresses of `localhost` are allowed, because it may resolve to IPv4 and IPv6. The origin listens on only one.
  const settings = { ...loopback, ...withoutCovers, IMPORT_ALLOWED_NETWORKS: '127.0.0.1/32,::1/128' };
  [world, origin] = await Promise.all([World.open(settings), Origin.open()]);
});

afterAll(async () => {
  origin.close();
  await world.close();
});

/** Starts an import, which must be accepted, and returns the item in its final state. */
async function outcome(answer: Answer, name = 'film.mp4') {
  const page = origin.page(name, answer);
  const item = await settled(world, accepted(await importUrl(world, page.url)));
  return { page, item };
}

describe('an import from an origin that answers', () => {
  test.concurrent('404 is accepted with 202, and fails after one request', async () => {
    const { page, item } = await outcome(serve(fixtures.jpeg(), { status: 404, type: 'image/jpeg' }), 'beach.jpg');
    await expectFailed(world, item, /^The server at 127\.0\.0\.1(:\d+)? answered 404\.$/);
    expect(item).toMatchObject({ size: null, width: null, height: null, time: null });
    expect(page.requests).toHaveLength(1);
  });
});

describe('an import is tried three times after', () => {
  const bytes = movie(megabyte);
  const rows: readonly [string, Answer][] = [
    ...[429, 500].map((code): [string, Answer] => [`the status ${code}`, status(code)]),
    ['a connection reset during a video', cutAfter(bytes, megabyte / 2)],
    ['the banner of an SSH server', raw('SSH-2.0-OpenSSH_9.9\r\n')],
  ];
  for (const [name, answer] of rows) {
    test.concurrent(`${name}, and is active if the third try succeeds`, async () => {
      const always = await outcome(answer);
      await expectFailed(world, always.item);
      expect(always.page.requests).toHaveLength(3);
      const twice = await outcome(inTurn(answer, answer, serve(fixtures.jpeg())), 'photo.png');
      await expectActive(world, twice.item, fixtures.jpeg());
      expect(twice.item).toMatchObject({ name: 'photo.jpg', width: 40, height: 30, time: null, thumbnail: null });
      expect(twice.page.requests).toHaveLength(3);
    });
  }

  test.concurrent('a failure to resolve its host, and then fails with a readable message', async () => {
    const item = accepted(await importUrl(world, 'http://no-such-host.invalid/beach.jpg'));
    await expectFailed(world, await settled(world, item, 60_000), /no-such-host\.invalid/);
  });

  test.concurrent('a temporary failure, but not after a file of an unsupported type', async () => {
    const { page, item } = await outcome(inTurn(status(503), serve(Buffer.from('Hello!'))));
    await expectFailed(world, item, /JPEG|JPG|type/i);
    expect(page.requests).toHaveLength(2);
    await world.run(['gc']);
    expect(await show(world, item.id)).toEqual(item);
  });
});

describe('an import of a damaged image', () => {
  const half = fixtures.jpeg().subarray(0, fixtures.jpeg().length / 2);
  const why = 'The file at the URL is damaged: its media data is incomplete.';

  test.concurrent('is rejected with an error on url if the damage is detected before the response', async () => {
    const page = origin.page('beach.jpg', serve(half));
    expectInvalid(await importUrl(world, page.url), { url: why });
    expect(page.requests).toHaveLength(1);
  });

  test.concurrent('fails without a retry if the damage is detected later', async () => {
    const { page, item } = await outcome(inTurn(status(503), serve(half)), 'beach.jpg');
    await expectFailed(world, item, new RegExp(`^${why}$`));
    expect(page.requests).toHaveLength(2);
  });
});

describe('the message of a failed import contains no internal address, header or stack trace after', () => {
  const talkative = { Server: 'inside-db-01', 'X-Backend': '10.1.2.3', Via: '1.1 inside-proxy' };
  const rows: readonly [string, Answer | null][] = [
    ['the status 404', serve(Buffer.from('inside-db-01 at 10.1.2.3 says no'), { status: 404, headers: talkative })],
    ['a reason phrase with internals', raw('HTTP/1.1 500 inside-db-01 10.1.2.3\r\nContent-Length: 0\r\n\r\n')],
    ['a response that is not HTTP', raw('220 inside-db-01 10.1.2.3 ESMTP\r\n')],
    ['a refused connection', null],
  ];
  for (const [name, answer] of rows) {
    test.concurrent(name, async () => {
      const url = answer
        ? origin.base('localhost') + origin.page('film.mp4', answer).path
        : `http://localhost:${await freePort()}/film.mp4`;
      const done = await settled(world, accepted(await importUrl(world, url)));
      await expectFailed(world, done, /localhost/);
      expect(done.error_message).not.toMatch(/127\.0\.0|::1|inside|10\.1\.2|proxy|nginx/i);
    });
  }
});

// The limits themselves are tested with a fake clock and without real files, in packages/application/test/imports
// (start-import) and packages/media/test/imports (time-limits).
if (sized(false, true)) {
  test('the import of a video that turns out larger than 2 GB fails after one request', async () => {
    let sent = 0;
    const page = origin.page('endless.mp4', async (exchange) => {
      await exchange.send(head());
      await exchange.send(fixtures.faststartMp4());
      sent = await sendZeros(exchange, 2 * libraryLimit);
    });
    const item = accepted(await importUrl(world, page.url));
    const done = await settled(world, item, 80_000);
    await expectFailed(world, done, /2 GB/);
    expect(page.requests).toHaveLength(1);
    await eventually('the connection to the origin is closed', () => page.open === 0 || undefined);
    expect(sent).toBeGreaterThan(libraryLimit - megabyte);
    // Some more bytes may be in the buffers of both ends when the server closes the connection.
    expect(sent).toBeLessThan(libraryLimit + 64 * megabyte);
  });

  test('the import of a compressed video larger than 2 GB fails after one request', async () => {
    const encoder = createGzip({ level: 1 });
    const page = origin.page('bomb.mp4', async ({ send, finish }) => {
      await send(head({ headers: { 'Content-Encoding': 'gzip' } }));
      for await (const chunk of encoder) if (!(await send(chunk))) break;
      finish();
    });
    const zeros = Readable.from(Array.from({ length: 2 * 2048 }, () => Buffer.alloc(megabyte)));
    encoder.write(fixtures.faststartMp4());
    zeros.pipe(encoder);
    const done = await settled(world, accepted(await importUrl(world, page.url)), 80_000);
    await expectFailed(world, done, /2 GB/);
    expect(page.requests).toHaveLength(1);
    await eventually('the connection to the origin is closed', () => page.open === 0 || undefined);
  });
}

test('all failed imports are listed as failed and leave no files', async () => {
  const failed = await listed(world, 'failed');
  expect(failed.length).toBeGreaterThan(8);
  for (const item of failed) {
    expect(item.error_message).not.toBeNull();
    expect(await filesOf(world, item)).toEqual([]);
  }
  expect(await listed(world, 'processing')).toEqual([]);
  await eventually('no file is left over', async () => (await leftovers(world)).length === 0 || undefined);
});
