import { afterAll, beforeAll, describe, expect, setDefaultTimeout, test } from 'bun:test';
import { gzipSync } from 'node:zlib';
import * as fixtures from '../support/fixtures.ts';
import { arrayAt } from '../support/reply.ts';
import { World } from '../support/world.ts';
import {
  type Gate,
  gate,
  head,
  inTurn,
  raw,
  serve,
  serveChunked,
  serveGated,
  serveUntilClose,
  stallAfter,
  status,
} from './support/answers.ts';
import { awaitedImageLimit, fastMovie, libraryLimit, megabyte, movie, picture } from './support/files.ts';
import {
  accepted,
  covered,
  eventually,
  expectActive,
  expectFailed,
  expectRefused,
  filesOf,
  importUrl,
  itemCount,
  leftovers,
  loopback,
  settled,
  show,
  stored,
} from './support/imports.ts';
import { type Answer, Origin } from './support/origin.ts';

setDefaultTimeout(60_000);

let world: World;
let origin: Origin;

beforeAll(async () => {
  [world, origin] = await Promise.all([World.open(loopback), Origin.open()]);
});

afterAll(async () => {
  origin.close();
  await world.close();
});

describe('An image is stored, 201', () => {
  const rows: readonly [string, () => Uint8Array, string, object][] = [
    ['JPEG', fixtures.jpeg, 'beach.jpg', { width: 40, height: 30 }],
    ['PNG', fixtures.png, 'chart.png', { width: 32, height: 24 }],
    ['GIF', fixtures.gif, 'laugh.gif', { width: 24, height: 16 }],
    ['WebP', fixtures.webp, 'small.webp', { width: 48, height: 36 }],
    ['a JPEG turned by its EXIF orientation', () => fixtures.orientedJpeg(6), 'turned.jpg', { width: 30, height: 40 }],
  ];
  for (const [name, bytes, fileName, dimensions] of rows) {
    test.concurrent(`${name}: active at once, with what the bytes tell, and the origin is asked once`, async () => {
      const page = origin.page(fileName, serve(bytes(), { type: 'application/octet-stream' }));
      const item = stored(await importUrl(world, page.url));
      expect(item).toMatchObject({ name: fileName, ...dimensions, time: null, thumbnail: null, label: null });
      expect(item.folder_id).toBeNull();
      await expectActive(world, item, bytes());
      expect(await show(world, item.id)).toEqual(item);
      expect(page.requests).toHaveLength(1);
    });
  }
});

describe('A video is imported in the background, 202', () => {
  const rows: readonly [string, () => Uint8Array, string, object][] = [
    ['MP4', fixtures.mp4, 'film.mp4', { width: 64, height: 48, time: 2 }],
    ['QuickTime', fixtures.mov, 'film.mov', { width: 64, height: 48, time: 3 }],
    ['an MP4 with its header first', () => fastMovie(3 * megabyte), 'film.mp4', { width: 64, height: 48, time: 2 }],
    ['an MP4 with its header last', () => movie(3 * megabyte), 'film.mp4', { width: 64, height: 48, time: 2 }],
    ['a turned MP4', fixtures.rotatedMp4, 'film.mp4', { width: 48, height: 64, time: 2 }],
  ];
  for (const [name, bytes, fileName, facts] of rows) {
    test.concurrent(`${name}: processing, then active with a cover, and the origin is asked once`, async () => {
      const page = origin.page(fileName, serve(bytes()));
      const item = accepted(await importUrl(world, page.url));
      expect(item.name).toBe(fileName);
      const done = await settled(world, item);
      await expectActive(world, done, bytes());
      expect(done).toMatchObject({ id: item.id, name: fileName, ...facts });
      const { thumbnail } = await covered(world, done);
      expect(thumbnail).toMatchObject({ status: 'active', time: null, thumbnail: null });
      expect((await fetch(String(thumbnail?.link))).status).toBe(200);
      expect(page.requests).toHaveLength(1);
    });
  }

  test.concurrent('a video that no decoder reads is active without a cover', async () => {
    const bytes = fixtures.undecodableMp4();
    const item = accepted(await importUrl(world, origin.page('dark.mp4', serve(bytes)).url));
    const done = await settled(world, item);
    await expectActive(world, done, bytes);
    expect(done.thumbnail).toBeNull();
  });

  test.concurrent('the answer comes while the origin still holds back the rest', async () => {
    const bytes = fastMovie(2 * megabyte);
    const rest = gate();
    const page = origin.page('film.mp4', serveGated(bytes, megabyte, rest));
    const item = accepted(await importUrl(world, page.url));
    expect((await fetch(item.link)).status).toBe(404);
    expect(await filesOf(world, item)).toEqual([]);
    rest.open();
    await expectActive(world, await settled(world, item), bytes);
    expect(page.requests).toHaveLength(1);
  });
});

describe('The type is read from the bytes; what is none of the six is 422 on url', () => {
  const unlike: readonly [string, () => Uint8Array][] = [
    ['an empty body', () => new Uint8Array()],
    ['HTML', () => Buffer.from('<!doctype html><title>beach.jpg</title>')],
    ['SVG', () => Buffer.from('<svg xmlns="http://www.w3.org/2000/svg" width="9" height="9"/>')],
    ['BMP', fixtures.bmp],
    ['WebM', fixtures.webm],
    ['M4A', fixtures.m4a],
    ['HEIC', () => fixtures.branded('heic')],
    ['AVIF', () => fixtures.branded('avif')],
    ['the signature of a PNG before zeros', () => Buffer.concat([fixtures.png().subarray(0, 8), Buffer.alloc(5000)])],
    ['the signature of a GIF before text', () => Buffer.from('GIF89a is how a GIF begins, and this is a sentence.')],
    ['a RIFF that is no WebP', () => Buffer.concat([Buffer.from('RIFF\x24\0\0\0WAVEfmt '), Buffer.alloc(100)])],
    ['a JPEG inside gzip', () => gzipSync(fixtures.jpeg())],
  ];
  for (const [name, bytes] of unlike) {
    test.concurrent(name, async () => {
      const page = origin.page('beach.jpg', serve(bytes(), { type: 'image/jpeg' }));
      expectRefused(await importUrl(world, page.url), 422);
      expect(page.requests).toHaveLength(1);
    });
  }

  const films: readonly [string, () => Uint8Array][] = [
    ['sound without pictures in an MP4', fixtures.audioOnlyMp4],
    ['a movie cut off before its header', fixtures.headlessMp4],
    [
      'noise behind the signature of an MP4',
      () => Buffer.concat([fixtures.mp4().subarray(0, 32), Buffer.alloc(99_999, 7)]),
    ],
  ];
  for (const [name, bytes] of films) {
    test.concurrent(`what its type says does not parse: ${name}`, async () => {
      const page = origin.page('film.mp4', serve(bytes()));
      const reply = await importUrl(world, page.url);
      // What is too short to be anything else may be found out before the answer.
      if (reply.status === 422) expectRefused(reply, 422);
      else await expectFailed(world, await settled(world, accepted(reply)));
      expect(page.requests).toHaveLength(1);
    });
  }

  const lies: readonly [string, () => Uint8Array, string, string, string][] = [
    ['a PNG that calls itself a JPEG', fixtures.png, 'beach.jpg', 'image/jpeg', 'beach.png'],
    ['a JPEG of no type', fixtures.jpeg, 'photo.php', '', 'photo.jpg'],
  ];
  for (const [name, bytes, sent, type, kept] of lies) {
    test.concurrent(`${name} is what its bytes are`, async () => {
      const item = stored(await importUrl(world, origin.page(sent, serve(bytes(), { type })).url));
      expect(item.name).toBe(kept);
      await expectActive(world, item, bytes());
    });
  }
});

describe('However the origin frames and encodes the body', () => {
  const dressed = 'HTTP/1.1 103 Early Hints\r\nLink: </x>; rel=preload\r\n\r\n';
  const ok: readonly [string, Answer][] = [
    ['without a length', serveUntilClose(fixtures.jpeg())],
    ['in chunks with extensions and a trailer', serveChunked(fixtures.jpeg())],
    ['as HTTP/1.0', raw(Buffer.concat([Buffer.from('HTTP/1.0 200 OK\r\n\r\n'), fixtures.jpeg()]))],
    ['after an early hint', raw(Buffer.concat([Buffer.from(dressed + head()), fixtures.jpeg()]))],
    [
      'as an attachment under another name',
      serve(fixtures.jpeg(), { headers: { 'Content-Disposition': 'attachment; filename="../evil.exe"' } }),
    ],
  ];
  for (const [name, answer] of ok) {
    test.concurrent(`${name}: the bytes are stored as they are`, async () => {
      const page = origin.page('beach.jpg', answer);
      const item = stored(await importUrl(world, page.url));
      expect(item.name).toBe('beach.jpg');
      await expectActive(world, item, fixtures.jpeg());
      expect(page.requests).toHaveLength(1);
    });
  }

  const compressed: readonly [string, string, () => Uint8Array][] = [
    ['a JPEG that was compressed although nobody asked for it', 'gzip', () => gzipSync(fixtures.jpeg())],
    ['what would become 64 MB', 'gzip', () => gzipSync(Buffer.alloc(64 * megabyte))],
    ['a JPEG that only says so', 'gzip', fixtures.jpeg],
  ];
  for (const [name, encoding, bytes] of compressed) {
    test.concurrent(`compressed: ${name} is never unpacked, and is no file of the six types`, async () => {
      const answer = serve(bytes(), { type: 'image/jpeg', headers: { 'Content-Encoding': encoding } });
      const page = origin.page('beach.jpg', answer);
      const reply = await importUrl(world, page.url);
      if (reply.status === 422) expectRefused(reply, 422);
      else await expectFailed(world, await settled(world, accepted(reply)));
      expect(page.requests).toHaveLength(1);
    });
  }

  test.concurrent('a video in chunks, and one without a length', async () => {
    for (const answer of [serveChunked(movie(megabyte), 60_000), serveUntilClose(movie(megabyte))]) {
      const page = origin.page('film.mp4', answer);
      const done = await settled(world, accepted(await importUrl(world, page.url)));
      await expectActive(world, done, movie(megabyte));
      expect(page.requests).toHaveLength(1);
    }
  });

  test.concurrent('a body longer than announced is never more than was announced', async () => {
    const bytes = fixtures.jpeg();
    const page = origin.page(
      'beach.jpg',
      serve(Buffer.concat([bytes, Buffer.alloc(megabyte)]), { length: bytes.length }),
    );
    const reply = await importUrl(world, page.url);
    if (reply.status === 201) await expectActive(world, stored(reply), bytes);
    else await expectFailed(world, await settled(world, accepted(reply)));
  });

  test.concurrent("a video that announces less than it is doesn't become active with a part of it", async () => {
    const page = origin.page('film.mp4', serve(movie(megabyte), { length: megabyte / 2 }));
    await expectFailed(world, await settled(world, accepted(await importUrl(world, page.url))));
  });

  test.concurrent('a slow origin that keeps coming is waited for', async () => {
    const bytes = fixtures.jpeg();
    const answer: Answer = async ({ send, finish }) => {
      await send(head({ length: bytes.length }));
      for (const byte of bytes.subarray(0, 40)) {
        await send(Uint8Array.of(byte));
        await Bun.sleep(50);
      }
      await send(bytes.subarray(40));
      finish();
    };
    const page = origin.page('slow.jpg', answer);
    await expectActive(world, stored(await importUrl(world, page.url)), bytes);
    expect(page.requests).toHaveLength(1);
  });
});

describe('A file announced above 2 GB is 413', () => {
  const rows: readonly [string, number | string, Uint8Array][] = [
    ['a video of one byte more', libraryLimit + 1, fixtures.mp4()],
    ['more than a double can count', '18446744073709551615', fixtures.mp4()],
  ];
  for (const [name, length, bytes] of rows) {
    test.concurrent(`${name}: nothing is kept, and the origin is hung up on`, async () => {
      const page = origin.page('film.mp4', stallAfter(head({ length }), bytes));
      expectRefused(await importUrl(world, page.url), 413);
      await eventually('the connection is gone', () => page.open === 0 || undefined);
      expect(page.requests).toHaveLength(1);
    });
  }

  test.concurrent('exactly 2 GB is taken on: 202', async () => {
    const page = origin.page('film.mp4', stallAfter(head({ length: libraryLimit }), fastMovie(megabyte)));
    const item = accepted(await importUrl(world, page.url));
    expect((await world.call(`DELETE /media_contents/${item.id}`)).status).toBe(204);
  });

  test.concurrent('announced only when asked again: failed, in words', async () => {
    const page = origin.page(
      'film.mp4',
      inTurn(status(503), stallAfter(head({ length: libraryLimit + 1 }), fixtures.mp4())),
    );
    const item = accepted(await importUrl(world, page.url));
    await expectFailed(world, await settled(world, item), /2 GB/);
    expect(page.requests).toHaveLength(2);
  });
});

describe('An image above 50 MB goes on in the background, 202', () => {
  test('exactly 50 MB, announced: 201', async () => {
    const bytes = picture(awaitedImageLimit);
    const page = origin.page('large.jpg', serve(bytes));
    await expectActive(world, stored(await importUrl(world, page.url)), bytes);
    expect(page.requests).toHaveLength(1);
  });

  const unannounced = (bytes: Uint8Array, stop: number, { opened }: Gate): Answer => {
    return async ({ send, finish, closed }) => {
      await send(head());
      await send(bytes.subarray(0, stop));
      await Promise.race([opened, closed]);
      await send(bytes.subarray(stop));
      finish();
    };
  };
  const larger: readonly [string, (bytes: Uint8Array, rest: Gate) => Answer][] = [
    ['announced, with one megabyte served', (bytes, rest) => serveGated(bytes, megabyte, rest)],
    ['unannounced, with 51 MB served', (bytes, rest) => unannounced(bytes, awaitedImageLimit + megabyte, rest)],
  ];
  for (const [name, answer] of larger) {
    test(`one of 52 MB, ${name}: 202, then active without starting again`, async () => {
      const bytes = picture(awaitedImageLimit + 2 * megabyte);
      const rest = gate();
      const page = origin.page('huge.jpg', answer(bytes, rest));
      const item = accepted(await importUrl(world, page.url));
      expect(item.name).toBe('huge.jpg');
      expect((await fetch(item.link)).status).toBe(404);
      rest.open();
      const done = await settled(world, item);
      await expectActive(world, done, bytes);
      expect(done).toMatchObject({ width: 40, height: 30, time: null, thumbnail: null });
      expect(page.requests).toHaveLength(1);
    });
  }
});

test('of all that was refused and failed nothing is listed but the failed, and no file remains', async () => {
  const total = await itemCount(world);
  const list = async (state: string) =>
    arrayAt((await world.call(`GET /workspaces/{workspace}/media_contents?status=${state}&per_page=100`)).json, 'data');
  expect((await list('active')).length + (await list('failed')).length).toBe(total);
  await eventually('no file is left over', async () => (await leftovers(world)).length === 0 || undefined);
});
