import { afterAll, afterEach, beforeAll, describe, expect, test } from 'bun:test';
import { hasFfmpeg } from '../support/ffmpeg.ts';
import * as fixtures from '../support/fixtures.ts';
import { sized } from '../support/long.ts';
import type { Settings } from '../support/server.ts';
import { within } from '../support/until.ts';
import { World } from '../support/world.ts';
import { gate, inTurn, serve, serveGated, status } from './support/answers.ts';
import { megabyte, movie, picture } from './support/files.ts';
import {
  accepted,
  eventually,
  expectActive,
  expectFailed,
  importUrl,
  leftovers,
  loopback,
  settled,
  show,
  stored,
  withoutCovers,
} from './support/imports.ts';
import { Origin } from './support/origin.ts';
import { startWorker, type Worker } from './support/processes.ts';

let world: World;
let origin: Origin;
const running: Worker[] = [];

beforeAll(async () => {
  [world, origin] = await Promise.all([World.openWithoutWorker(loopback), Origin.open()]);
});

afterEach(async () => {
  for (const worker of running.splice(0)) await worker.end('SIGTERM');
  expect(await leftovers(world)).toEqual([]);
});

afterAll(async () => {
  origin.close();
  await world.close();
});

/** Starts a worker. It is stopped at the end of the test, if the test hasn't stopped it. */
async function start(extra: Settings = {}): Promise<Worker> {
  const worker = await startWorker(world.server, extra);
  running.push(worker);
  return worker;
}

const video = movie(2 * megabyte);

describe('a worker next to a server started with --no-worker', () => {
  test('is needed for videos and large images, but not for small images', async () => {
    const page = origin.page('film.mp4', serve(video));
    const item = accepted(await importUrl(world, page.url, { label: 'Waiting' }));
    const bytes = picture(51 * megabyte);
    const large = accepted(await importUrl(world, origin.page('large.jpg', serve(bytes)).url));
    const image = origin.page('beach.jpg', serve(fixtures.jpeg()));
    await expectActive(world, stored(await importUrl(world, image.url)), fixtures.jpeg());
    expect((await show(world, item.id)).status).toBe('processing');
    // The server closes its connection to the origin when it leaves the video to a worker.
    await eventually('the decision is made', () => page.open === 0 || undefined);
    await start();
    const done = await settled(world, item);
    await expectActive(world, done, video);
    expect(done).toMatchObject({ label: 'Waiting', name: 'film.mp4' });
    if (hasFfmpeg) expect((await world.covered(done)).thumbnail?.status).toBe('active');
    expect(page.requests).toHaveLength(2);
    await expectActive(world, await settled(world, large), bytes);
  });

  test('respects IMPORT_ALLOWED_NETWORKS', async () => {
    const page = origin.page('film.mp4', inTurn(status(503), serve(video)));
    const item = accepted(await importUrl(world, page.url));
    await start({ IMPORT_ALLOWED_NETWORKS: undefined });
    await expectFailed(world, await settled(world, item));
    expect(page.requests).toHaveLength(1);
  });

  test('releases its job when it is stopped, so that the next worker continues the import', async () => {
    const page = origin.page('film.mp4', inTurn(status(503), serveGated(video, megabyte, gate()), serve(video)));
    const item = accepted(await importUrl(world, page.url));
    const worker = await start();
    await eventually('the import runs', () => (page.requests.length === 2 && page.open === 1) || undefined);
    expect(await within('the end of the worker', worker.end(), 15_000)).toBe(0);
    expect((await show(world, item.id)).status).toBe('processing');
    await start();
    await expectActive(world, await settled(world, item, 15_000), video);
    expect(page.requests).toHaveLength(3);
  });
});

describe('two workers', () => {
  test('import each of many files once, with one request to its origin', async () => {
    const videos = Array.from({ length: sized(8, 30) }, (_, index) => movie(100_000 + index, index));
    // The server sends the first request of each import itself. The origin answers it with 503, so that the workers run
    // the import.
    const pages = videos.map((bytes, index) => origin.page(`${index}.mp4`, inTurn(status(503), serve(bytes))));
    const items = await Promise.all(pages.map(async (page) => accepted(await importUrl(world, page.url))));
    await Promise.all([start(withoutCovers), start(withoutCovers)]);
    for (const [index, item] of items.entries()) {
      await expectActive(world, await settled(world, item), videos[index] ?? video);
    }
    expect(pages.map((page) => page.requests.length)).toEqual(pages.map(() => 2));
  });
});
