import { afterAll, beforeAll, expect, test } from 'bun:test';
import { hasFfmpeg } from '../support/ffmpeg.ts';
import { sized } from '../support/long.ts';
import { oneMediaItem } from '../support/shapes.ts';
import { World } from '../support/world.ts';
import { gate, head, inTurn, serve, serveGated, stallAfter, status } from './support/answers.ts';
import { awaitedImageLimit, megabyte, movie, picture } from './support/files.ts';
import {
  accepted,
  activeCount,
  eventually,
  expectActive,
  expectFailed,
  importUrl,
  itemCount,
  leftoversAfterGc,
  loopback,
  settled,
  withoutCovers,
} from './support/imports.ts';
import { type Answer, Origin } from './support/origin.ts';
import { startWorker, withoutWorker } from './support/processes.ts';

/**
 * Milliseconds within which interrupted imports must end. A worker on another host has to wait until the lease of 30
 * seconds expires; a worker on the same host notices that the process has died.
 */
const leaseAndWork = 75_000;

let origin: Origin;
beforeAll(async () => {
  origin = await Origin.open();
});
afterAll(() => origin.close());

/** Serves the bytes up to `stop` and never the rest, so that the import stays unfinished. */
const held = (bytes: Uint8Array, stop: number): Answer => serveGated(bytes, stop, gate());

async function inWorld(settings: Record<string, string>, use: (world: World) => Promise<void>): Promise<void> {
  const world = await World.open({ ...loopback, ...settings });
  try {
    await use(world);
  } finally {
    await world.close();
  }
}

test.concurrent('seven imports interrupted by a kill at different points each end with the result of a new request', () =>
  inWorld({}, killInTheMiddle));

// Only three imports run at a time. So each new server process finds imports that aren't leased by a killed process.
test.concurrent('each import becomes active exactly once although its server is killed repeatedly', () =>
  inWorld({ ...withoutCovers, IMPORT_CONCURRENCY: '3', IMPORT_RETRY_DELAYS: '1,1' }, killAgainAndAgain));

test.concurrent('an import is taken over from a killed worker, but not from a living one', () =>
  withoutWorker(killOneOfTwoWorkers));

async function killInTheMiddle(world: World): Promise<void> {
  const video = movie(2 * megabyte, 1);
  const early = movie(2 * megabyte, 2);
  const image = picture(awaitedImageLimit + 2 * megabyte);
  const pages = {
    middle: origin.page('middle.mp4', inTurn(held(video, megabyte), serve(video))),
    late: origin.page('late.mp4', inTurn(held(video, video.length - 1), serve(video))),
    early: origin.page('early.mp4', inTurn(held(early, 100_000), serve(early))),
    image: origin.page('image.jpg', inTurn(held(image, megabyte), serve(image))),
    silent: origin.page('silent.mp4', inTurn(status(503), stallAfter(), serve(video))),
    waiting: origin.page('waiting.mp4', inTurn(status(503), serve(video))),
    failing: origin.page('failing.mp4', inTurn(held(video, megabyte), status(404))),
  };
  const ids: Record<string, string> = {};
  for (const [name, page] of Object.entries(pages)) {
    ids[name] = accepted(await importUrl(world, page.url, { label: name })).id;
  }
  const renamed = await world.call(`PATCH /media_contents/${ids.middle}`, { json: { name: 'Renamed' } });
  expect(oneMediaItem(renamed).status).toBe('processing');
  await eventually('the silent origin is requested again', () => pages.silent.requests.length === 2 || undefined);
  await world.server.end('SIGKILL');
  await world.restart();
  const over = (name: keyof typeof pages) => settled(world, { id: String(ids[name]) }, leaseAndWork);
  for (const name of ['middle', 'late', 'silent', 'waiting'] as const) {
    await expectActive(world, await over(name), video);
  }
  await expectActive(world, await over('early'), early);
  await expectActive(world, await over('image'), image);
  await expectFailed(world, await over('failing'), /answered 404/);
  const middle = await over('middle');
  expect(middle).toMatchObject({ name: 'Renamed.mp4', label: 'middle' });
  if (hasFfmpeg) expect((await world.covered(middle)).thumbnail?.status).toBe('active');
  // After the crash, each of these imports sent exactly one new request.
  for (const name of ['middle', 'late', 'early', 'image', 'failing'] as const) {
    expect(`${name} ${pages[name].requests.length}`).toBe(`${name} 2`);
  }
  expect(await itemCount(world)).toBe(Object.keys(pages).length);
  expect(await leftoversAfterGc(world)).toEqual([]);
}

async function killAgainAndAgain(world: World): Promise<void> {
  const videos = Array.from({ length: sized(10, 20) }, (_, index) => movie(300_000 + index, index));
  const pages = videos.map((video, index) => origin.page(`${index}.mp4`, inTurn(status(503), serve(video))));
  const items = await Promise.all(pages.map(async (page) => accepted(await importUrl(world, page.url))));
  for (const enough of sized([1, 3], [1, 3, 5])) {
    await eventually(
      `${enough} are active`,
      async () => (await activeCount(world)) >= enough || undefined,
      leaseAndWork,
    );
    await world.server.end('SIGKILL');
    await world.restart();
  }
  for (const [index, item] of items.entries()) {
    await expectActive(world, await settled(world, item, leaseAndWork), videos[index] ?? new Uint8Array());
  }
  expect(await itemCount(world)).toBe(videos.length);
  expect(await leftoversAfterGc(world)).toEqual([]);
}

async function killOneOfTwoWorkers(world: World): Promise<void> {
  const video = movie(2 * megabyte);
  const lost = origin.page('lost.mp4', inTurn(status(503), held(video, megabyte), serve(video)));
  const lostItem = accepted(await importUrl(world, lost.url));
  // The first worker runs one job at a time, so that the second worker gets the second import.
  const killed = await startWorker(world.server, { IMPORT_CONCURRENCY: '1' });
  await eventually('the first worker has started', () => (lost.requests.length === 2 && lost.open === 1) || undefined);
  const rest = gate();
  const slow = origin.page('slow.mp4', inTurn(status(503), dripping(video, rest.opened)));
  const slowItem = accepted(await importUrl(world, slow.url));
  const survivor = await startWorker(world.server);
  const third = await startWorker(world.server);
  try {
    await eventually('another worker has started', () => slow.requests.length === 2 || undefined);
    await killed.end('SIGKILL');
    const died = performance.now();
    await expectActive(world, await settled(world, lostItem, leaseAndWork), video);
    expect(lost.requests).toHaveLength(3);
    // In long test runs, the slow import takes longer than a lease, so its worker must have renewed the lease.
    const over = sized(0, 35_000);
    await eventually('a lease has run out', () => performance.now() - died > over || undefined, leaseAndWork);
    expect(slow.requests).toHaveLength(2);
    rest.open();
    await expectActive(world, await settled(world, slowItem), video);
    expect(slow.requests).toHaveLength(2);
  } finally {
    expect([await survivor.end(), await third.end()]).toEqual([0, 0]);
  }
  expect(await leftoversAfterGc(world)).toEqual([]);
}

/** Bytes per second that are slow, but more than an import demands, however long a busy machine takes for a test. */
const SLOW = 8 * 1024;

/** Sends half of the bytes immediately, then {@link SLOW} per second, and the rest when released. */
function dripping(bytes: Uint8Array, letGo: Promise<void>): Answer {
  return async ({ send, finish }) => {
    let free = false;
    void letGo.then(() => {
      free = true;
    });
    await send(head({ length: bytes.length }));
    let at = bytes.length / 2;
    await send(bytes.subarray(0, at));
    while (!free && (await send(bytes.subarray(at, at + SLOW)))) {
      at += SLOW;
      await Promise.race([Bun.sleep(1000), letGo]);
    }
    await send(bytes.subarray(at));
    finish();
  };
}
