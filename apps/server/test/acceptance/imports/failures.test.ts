import { afterAll, beforeAll, describe, expect, setDefaultTimeout, test } from 'bun:test';
import * as fixtures from '../support/fixtures.ts';
import { sized } from '../support/long.ts';
import { freePort } from '../support/server.ts';
import { World } from '../support/world.ts';
import { cutAfter, endAfter, head, inTurn, raw, redirect, sendZeros, serve, status } from './support/answers.ts';
import { libraryLimit, megabyte, movie } from './support/files.ts';
import {
  accepted,
  covered,
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
} from './support/imports.ts';
import { type Answer, Origin } from './support/origin.ts';

setDefaultTimeout(90_000);

let world: World;
let origin: Origin;

beforeAll(async () => {
  // `localhost` may stand for both; the origin listens on one of them.
  const settings = { ...loopback, IMPORT_ALLOWED_NETWORKS: '127.0.0.1/32,::1/128' };
  [world, origin] = await Promise.all([World.open(settings), Origin.open()]);
});

afterAll(async () => {
  origin.close();
  await world.close();
});

/** Imports what must be accepted at first, and gives what becomes of it. */
async function outcome(answer: Answer, name = 'film.mp4') {
  const page = origin.page(name, answer);
  const item = await settled(world, accepted(await importUrl(world, page.url)));
  return { page, item };
}

describe('A 4xx is final, but for 408, 425 and 429', () => {
  for (const code of [400, 401, 404, 407, 499]) {
    test.concurrent(`${code}: 202, failed, asked once`, async () => {
      const { page, item } = await outcome(status(code));
      await expectFailed(world, item, new RegExp(`answered ${code}`));
      expect(page.requests).toHaveLength(1);
    });
  }

  test.concurrent('404: a message as in "The server at example.com answered 404."', async () => {
    const { item } = await outcome(serve(fixtures.jpeg(), { status: 404, type: 'image/jpeg' }), 'beach.jpg');
    await expectFailed(world, item, /^The server at 127\.0\.0\.1(:\d+)? answered 404\.$/);
    expect(item).toMatchObject({ size: null, width: null, height: null, time: null });
  });
});

describe('What may pass is tried three times in all', () => {
  const bytes = movie(megabyte);
  const rows: readonly [string, Answer][] = [
    ...[408, 425, 429, 500, 503, 599].map((code): [string, Answer] => [`${code}`, status(code)]),
    ['the connection ends before an answer', raw('')],
    ['the connection is reset before an answer', ({ cut }) => cut()],
    ['the connection ends in the head', raw('HTTP/1.1 200 OK\r\nContent-Le')],
    ['the connection ends behind the head', endAfter(bytes, 0)],
    ['a video is cut off on the way', cutAfter(bytes, megabyte / 2)],
    ['a video ends early, politely', endAfter(bytes, megabyte - 1)],
    ['an image is cut off on the way', cutAfter(fixtures.png(), fixtures.png().length - 5)],
    ['a chunked image ends without its last chunk', chunkedWithoutEnd(fixtures.png())],
    ['a chunked video ends without its last chunk', chunkedWithoutEnd(bytes)],
    ['the banner of an SSH server', raw('SSH-2.0-OpenSSH_9.9\r\n')],
    ['two lengths', raw('HTTP/1.1 200 OK\r\nContent-Length: 9\r\nContent-Length: 7\r\n\r\n123456789')],
    ['a megabyte of headers', raw(`HTTP/1.1 200 OK\r\n${`X-Filler: ${'x'.repeat(990)}\r\n`.repeat(1000)}\r\n`)],
    ['one header that does not end', endlessHeader],
  ];
  for (const [name, answer] of rows) {
    test.concurrent(`${name}: failed after three requests, active where it was only twice`, async () => {
      const always = await outcome(answer);
      await expectFailed(world, always.item);
      expect(always.page.requests).toHaveLength(3);
      const twice = await outcome(inTurn(answer, answer, serve(fixtures.mp4())));
      await expectActive(world, twice.item, fixtures.mp4());
      await covered(world, twice.item);
      expect(twice.page.requests).toHaveLength(3);
    });
  }

  test.concurrent('nobody listens: failed, in words', async () => {
    const item = accepted(await importUrl(world, `http://127.0.0.1:${await freePort()}/beach.jpg`));
    await expectFailed(world, await settled(world, item), /127\.0\.0\.1/);
  });

  test.concurrent('no such host, of a reserved name (RFC 6761 §6.4): failed, in words', async () => {
    const item = accepted(await importUrl(world, 'http://no-such-host.invalid/beach.jpg'));
    await expectFailed(world, await settled(world, item, 60_000), /no-such-host\.invalid/);
  });

  test.concurrent('an image that comes at the second try is as good as one at once', async () => {
    const { page, item } = await outcome(inTurn(status(500), serve(fixtures.jpeg())), 'photo.png');
    await expectActive(world, item, fixtures.jpeg());
    expect(item).toMatchObject({ name: 'photo.jpg', width: 40, height: 30, time: null, thumbnail: null });
    expect(page.requests).toHaveLength(2);
  });

  const ends: readonly [string, Answer, RegExp][] = [
    ['text', serve(Buffer.from('Hello!')), /JPEG|JPG|type/i],
    ['nothing', serve(new Uint8Array()), /./],
    ['404', status(404), /answered 404/],
    ['a redirect to an address that is not public', redirect('http://10.0.0.1/'), /./],
    ['a redirect to a file', redirect('file:///etc/passwd'), /./],
    ['a redirect to itself', redirect(''), /./],
  ];
  for (const [name, answer, message] of ends) {
    test.concurrent(`what isn't worth another try ends it early: ${name} at the second`, async () => {
      const { page, item } = await outcome(inTurn(status(503), answer));
      await expectFailed(world, item, message);
      // Four for the redirect to itself: the request and the three hops that are followed.
      expect(page.requests).toHaveLength(name === 'a redirect to itself' ? 5 : 2);
    });
  }

  test.concurrent('once failed it is left alone, and failed for good', async () => {
    const { page, item } = await outcome(status(503));
    await world.run(['gc']);
    expect(await show(world, item.id)).toEqual(item);
    expect(page.requests).toHaveLength(3);
  });
});

describe('IMPORT_RETRY_DELAYS', () => {
  test.concurrent('the second request comes no sooner than the first delay, the third no sooner than the second', async () => {
    const patient = await World.open({ ...loopback, IMPORT_RETRY_DELAYS: '400,900' });
    try {
      const page = origin.page('film.mp4', status(503));
      const item = accepted(await importUrl(patient, page.url));
      await expectFailed(patient, await settled(patient, item));
      const [first, second, third, ...more] = page.requests.map((request) => request.at);
      expect(more).toEqual([]);
      // The clock of another process: a few milliseconds of grace.
      expect(Number(second) - Number(first)).toBeGreaterThanOrEqual(390);
      expect(Number(third) - Number(second)).toBeGreaterThanOrEqual(890);
    } finally {
      await patient.close();
    }
  });
});

describe('The message of a failure tells no inside address, no header and no stack', () => {
  const talkative = { Server: 'inside-db-01', 'X-Backend': '10.1.2.3', Via: '1.1 inside-proxy' };
  const rows: readonly [string, Answer][] = [
    ['404', serve(Buffer.from('inside-db-01 at 10.1.2.3 says no'), { status: 404, headers: talkative })],
    ['503', status(503, talkative)],
    ['a reason phrase that talks', raw('HTTP/1.1 500 inside-db-01 10.1.2.3\r\nContent-Length: 0\r\n\r\n')],
    ['a cut in the body', cutAfter(movie(megabyte), 70_000)],
    ['no answer', raw('')],
    ['no HTTP', raw('220 inside-db-01 10.1.2.3 ESMTP\r\n')],
    ['no file of the six types after a failure', inTurn(status(503), serve(Buffer.from('inside-db-01')))],
  ];
  for (const [name, answer] of rows) {
    test.concurrent(name, async () => {
      const page = origin.page('film.mp4', answer);
      const item = accepted(await importUrl(world, `${origin.base('localhost')}${page.path}`));
      const done = await settled(world, item);
      await expectFailed(world, done);
      expect(done.error_message).not.toMatch(/127\.0\.0|::1|inside|10\.1\.2|proxy|nginx/i);
    });
  }

  test.concurrent('nobody listens', async () => {
    const item = accepted(await importUrl(world, `http://localhost:${await freePort()}/beach.jpg`));
    const done = await settled(world, item);
    await expectFailed(world, done, /localhost/);
    expect(done.error_message).not.toMatch(/127\.0\.0|::1/);
  });
});

// The limit itself is tested without the bytes: packages/application/test/imports/start-import.test.ts.
if (sized(false, true)) {
  test('a video that passes 2 GB on the way: failed, asked once, hung up on, nothing remains', async () => {
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
    await eventually('the origin is hung up on', () => page.open === 0 || undefined);
    expect(sent).toBeGreaterThan(libraryLimit - megabyte);
    // What stands in the buffers of both ends when the server has seen enough.
    expect(sent).toBeLessThan(libraryLimit + 64 * megabyte);
  });
}

test('all failed items are listed as such, and no file remains', async () => {
  const failed = await listed(world, 'failed');
  expect(failed.length).toBeGreaterThan(20);
  for (const item of failed) {
    expect(item.error_message).not.toBeNull();
    expect(await filesOf(world, item)).toEqual([]);
  }
  expect(await listed(world, 'processing')).toEqual([]);
  await eventually('no file is left over', async () => (await leftovers(world)).length === 0 || undefined);
});

function chunkedWithoutEnd(bytes: Uint8Array): Answer {
  return async ({ send, finish }) => {
    await send(head({ headers: { 'Transfer-Encoding': 'chunked' } }));
    await send(Buffer.concat([Buffer.from(`${bytes.length.toString(16)}\r\n`), bytes, Buffer.from('\r\n')]));
    finish();
  };
}

const endlessHeader: Answer = async ({ send }) => {
  await send('HTTP/1.1 200 OK\r\nX-Endless: ');
  for (let sent = 0; sent < 100 && (await send('x'.repeat(megabyte))); sent++);
};
