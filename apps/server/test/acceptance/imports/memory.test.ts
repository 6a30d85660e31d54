import { afterAll, beforeAll, expect, test } from 'bun:test';
import { hasFfmpeg } from '../support/ffmpeg.ts';
import { bigMp4 } from '../support/fixtures.ts';
import { sized } from '../support/long.ts';
import { expectFreeDisk, expectPeakBelow } from '../support/memory.ts';
import { onDisk } from '../support/storage.ts';
import { World } from '../support/world.ts';
import { head, sendZeros } from './support/answers.ts';
import { megabyte } from './support/files.ts';
import { accepted, importUrl, leftovers, loopback, settled } from './support/imports.ts';
import { type Answer, Origin } from './support/origin.ts';

const size = sized(64, 1024) * megabyte;
const imports = sized(4, 10);

/**
 * Megabytes that the server may need. In long test runs it runs from source, which takes some 30 MB more, and so many
 * large videos keep its memory near the point at which garbage is collected.
 */
const limit = sized(150, 224);

let world: World;
let origin: Origin;

beforeAll(async () => {
  // The test needs space for the files, and leaves some for other programs.
  expectFreeDisk((imports + 1) * size);
  const atOnce = { IMPORT_CONCURRENCY: String(imports), IMPORT_CONCURRENCY_PER_WORKSPACE: String(imports) };
  [world, origin] = await Promise.all([World.openAlone({ ...loopback, ...onDisk, ...atOnce }), Origin.open()]);
});

afterAll(async () => {
  origin.close();
  await world.close();
});

/** A valid MP4 that is generated while it is sent, and has its header at the very end. */
const video: Answer = async ({ send, finish }) => {
  const { head: start, zeros, tail } = bigMp4(size);
  await send(head({ length: size }));
  await send(start);
  await sendZeros({ send }, zeros);
  await send(tail);
  finish();
};

test('the server needs little memory while large videos are imported concurrently', async () => {
  const pages = Array.from({ length: imports }, () => origin.page('film.mp4', video));
  const items = await Promise.all(pages.map(async (page) => accepted(await importUrl(world, page.url))));
  for (const item of items) {
    const done = await settled(world, item, 500_000);
    expect(done).toMatchObject({ status: 'active', size, width: 64, height: 48, time: 2, error_message: null });
    if (hasFfmpeg) expect((await world.covered(done)).thumbnail?.status).toBe('active');
    const response = await fetch(done.link, { method: 'HEAD' });
    expect(response.headers.get('content-length')).toBe(String(size));
  }
  expect(pages.map((page) => page.requests.length)).toEqual(pages.map(() => 1));
  await expectPeakBelow(world.server.pid, limit);
  expect(await leftovers(world)).toEqual([]);
  for (const { id } of items) expect((await world.call(`DELETE /media_contents/${id}`)).status).toBe(204);
  expect(await leftovers(world)).toEqual([]);
});
