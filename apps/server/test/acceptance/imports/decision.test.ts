import { afterAll, beforeAll, describe, expect, test } from 'bun:test';
import { gzipSync, zstdCompressSync } from 'node:zlib';
import { hasFfmpeg } from '../support/ffmpeg.ts';
import * as fixtures from '../support/fixtures.ts';
import { World } from '../support/world.ts';
import { gate, head, serve, serveGated, serveUntilClose, stallAfter } from './support/answers.ts';
import { awaitedImageLimit, fastMovie, libraryLimit, megabyte, movie, picture } from './support/files.ts';
import {
  accepted,
  eventually,
  expectActive,
  expectFailed,
  expectRefused,
  filesOf,
  importUrl,
  leftovers,
  listed,
  loopback,
  settled,
  show,
  stored,
} from './support/imports.ts';
import { Origin } from './support/origin.ts';

// packages/media tests file types and the answers of servers, and packages/application tests the decision itself.
let world: World;
let origin: Origin;

beforeAll(async () => {
  [world, origin] = await Promise.all([World.open(loopback), Origin.open()]);
});

afterAll(async () => {
  origin.close();
  await world.close();
});

describe('an import of an image', () => {
  const rows: readonly [string, () => Uint8Array, string, object][] = [
    ['JPEG', fixtures.jpeg, 'beach.jpg', { width: 40, height: 30 }],
    ['a JPEG rotated by its EXIF orientation', () => fixtures.orientedJpeg(6), 'turned.jpg', { width: 30, height: 40 }],
  ];
  for (const [name, bytes, fileName, dimensions] of rows) {
    test.concurrent(`stores ${name} immediately, after one request, with dimensions read from its bytes`, async () => {
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

describe('an import of a video', () => {
  const rows: readonly [string, () => Uint8Array, string, object][] = [
    ['MP4', fixtures.mp4, 'film.mp4', { width: 64, height: 48, time: 2 }],
    ['an MP4 with its header last', () => movie(3 * megabyte), 'film.mp4', { width: 64, height: 48, time: 2 }],
  ];
  for (const [name, bytes, fileName, facts] of rows) {
    test.concurrent(`stores ${name} in the background, with a cover, after one request`, async () => {
      const page = origin.page(fileName, serve(bytes()));
      const item = accepted(await importUrl(world, page.url));
      expect(item.name).toBe(fileName);
      const done = await settled(world, item);
      await expectActive(world, done, bytes());
      expect(done).toMatchObject({ id: item.id, name: fileName, ...facts });
      expect(page.requests).toHaveLength(1);
      if (!hasFfmpeg) return;
      const { thumbnail } = await world.covered(done);
      expect(thumbnail).toMatchObject({ status: 'active', time: null, thumbnail: null });
      expect((await fetch(String(thumbnail?.link))).status).toBe(200);
      expect(page.requests).toHaveLength(1);
    });
  }

  test.concurrent('stores a video without a cover if it cannot be decoded', async () => {
    const bytes = fixtures.undecodableMp4();
    const item = accepted(await importUrl(world, origin.page('dark.mp4', serve(bytes)).url));
    const done = await settled(world, item);
    await expectActive(world, done, bytes);
    expect(done.thumbnail).toBeNull();
  });

  test.concurrent('is accepted with 202 before the origin has sent all of it', async () => {
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

describe('an import whose declared type contradicts its bytes', () => {
  const unlike: readonly [string, () => Uint8Array, string?][] = [
    ['an empty body', () => new Uint8Array()],
    ['HTML', () => Buffer.from('<!doctype html><title>beach.jpg</title>')],
    ['a JPEG inside gzip', () => gzipSync(fixtures.jpeg())],
  ];
  for (const [name, bytes] of unlike) {
    test.concurrent(`is rejected with 422 on url for ${name}`, async () => {
      const page = origin.page('beach.jpg', serve(bytes(), { type: 'image/jpeg' }));
      expectRefused(await importUrl(world, page.url), 422);
      expect(page.requests).toHaveLength(1);
    });
  }

  const broken: readonly [string, () => Uint8Array][] = [['an MP4 with sound only', fixtures.audioOnlyMp4]];
  for (const [name, bytes] of broken) {
    test.concurrent(`is rejected with 422 or fails for ${name}, after one request`, async () => {
      const page = origin.page('film.mp4', serve(bytes()));
      const reply = await importUrl(world, page.url);
      if (reply.status === 422) expectRefused(reply, 422);
      else await expectFailed(world, await settled(world, accepted(reply)));
      expect(page.requests).toHaveLength(1);
    });
  }

  test.concurrent('stores a JPEG with the extension .jpg, even if it was named or served as another type', async () => {
    const page = origin.page('beach.png', serveUntilClose(fixtures.jpeg()));
    const evil = { 'Content-Disposition': 'attachment; filename="../evil.exe"' };
    const other = origin.page('photo.php', serve(fixtures.jpeg(), { type: 'image/png', headers: evil }));
    const items = [stored(await importUrl(world, page.url)), stored(await importUrl(world, other.url))];
    expect(items.map(({ name }) => name)).toEqual(['beach.jpg', 'photo.jpg']);
    for (const item of items) await expectActive(world, item, fixtures.jpeg());
  });
});

describe('an import with the Content-Encoding', () => {
  const labelled = (encoding: string, bytes: Uint8Array) =>
    serve(bytes, { type: 'image/jpeg', headers: { 'Content-Encoding': encoding } });

  const taken: readonly [string, string, Uint8Array][] = [
    ...['aws-chunked', 'gzip'].map((encoding): [string, string, Uint8Array] => [
      'an uncompressed JPEG',
      encoding,
      fixtures.jpeg(),
    ]),
    ['a JPEG inside gzip', 'gzip', gzipSync(fixtures.jpeg())],
  ];
  for (const [what, encoding, bytes] of taken) {
    test.concurrent(`${encoding} for ${what} stores the JPEG with 201 after one request`, async () => {
      const page = origin.page('beach.jpg', labelled(encoding, bytes));
      const item = stored(await importUrl(world, page.url));
      await expectActive(world, item, fixtures.jpeg());
      expect(item).toMatchObject({ name: 'beach.jpg', size: fixtures.jpeg().length, width: 40, height: 30 });
      expect(page.requests).toHaveLength(1);
    });
  }

  test.concurrent('gzip for a compressed video stores the video with its uncompressed size', async () => {
    const video = movie(2 * megabyte);
    const page = origin.page('film.mp4', labelled('gzip', gzipSync(video)));
    const item = await settled(world, accepted(await importUrl(world, page.url)));
    await expectActive(world, item, video);
    expect(page.requests).toHaveLength(1);
  });

  const refused: readonly [string, string, Uint8Array, RegExp][] = [
    [
      'a JPEG inside zstd',
      'zstd',
      zstdCompressSync(fixtures.jpeg()),
      /compressed with zstd\. Let it send the file as it is/,
    ],
  ];
  for (const [what, encoding, bytes, why] of refused) {
    test.concurrent(`${encoding} fails after one request if the file is ${what}`, async () => {
      const page = origin.page('beach.jpg', labelled(encoding, bytes));
      await expectFailed(world, await settled(world, accepted(await importUrl(world, page.url))), why);
      expect(page.requests).toHaveLength(1);
    });
  }
});

describe('an import of', () => {
  const announced: readonly [string, number | string][] = [['one byte above 2 GB', libraryLimit + 1]];
  for (const [name, length] of announced) {
    test.concurrent(`a file with a declared length of ${name} returns 413, and its connection is closed`, async () => {
      const page = origin.page('film.mp4', stallAfter(head({ length }), fixtures.mp4()));
      expectRefused(await importUrl(world, page.url), 413);
      await eventually('the connection is closed', () => page.open === 0 || undefined);
      expect(page.requests).toHaveLength(1);
    });
  }

  test.concurrent('a file with a declared length of exactly 2 GB is accepted with 202', async () => {
    const page = origin.page('film.mp4', stallAfter(head({ length: libraryLimit }), fastMovie(megabyte)));
    const item = accepted(await importUrl(world, page.url));
    expect((await world.call(`DELETE /media_contents/${item.id}`)).status).toBe(204);
  });

  test.concurrent('an image of exactly 50 MB is stored with 201', async () => {
    const bytes = picture(awaitedImageLimit);
    const page = origin.page('large.jpg', serve(bytes));
    await expectActive(world, stored(await importUrl(world, page.url)), bytes);
    expect(page.requests).toHaveLength(1);
  });

  test.concurrent('an image above 50 MB continues in the background without a second request', async () => {
    const bytes = picture(awaitedImageLimit + megabyte);
    const rest = gate();
    const page = origin.page('huge.jpg', serveGated(bytes, megabyte, rest));
    const item = accepted(await importUrl(world, page.url));
    expect(item.name).toBe('huge.jpg');
    expect((await fetch(item.link)).status).toBe(404);
    rest.open();
    const done = await settled(world, item);
    await expectActive(world, done, bytes);
    expect(done).toMatchObject({ width: 40, height: 30, time: null, thumbnail: null });
    expect(page.requests).toHaveLength(1);
  });
});

test('refused imports are not listed and leave no files', async () => {
  expect(await listed(world, 'processing')).toEqual([]);
  await eventually('no file is left over', async () => (await leftovers(world)).length === 0 || undefined);
});
