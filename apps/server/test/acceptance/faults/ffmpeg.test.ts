import { expect } from 'bun:test';
import { rmSync } from 'node:fs';
import { testsThatNeed } from '@postshelf/testing/programs';
import { leftovers } from '../imports/support/imports.ts';
import { jpeg, mp4 } from '../support/fixtures.ts';
import { expectPeakBelow } from '../support/memory.ts';
import { file } from '../support/multipart.ts';
import { mediaItems } from '../support/shapes.ts';
import { startStopwatch, until } from '../support/until.ts';
import { World } from '../support/world.ts';
import { ScriptedFfmpeg } from './support/ffmpeg.ts';
import { descriptors } from './support/held.ts';

const { afterAll, beforeAll, test } = testsThatNeed(['ffmpeg'], 'covers after failures of ffmpeg');

/** Maximum milliseconds until a video is stored: a cover may take up to 15 s, and the rest is a margin. */
const TIMEOUT = 35_000;
/**
 * Maximum of the server's peak memory in megabytes. It includes two covers that are read concurrently, each up to its
 * limit of 10 MB.
 */
const MAX_MEGABYTES = 200;

let ffmpeg: ScriptedFfmpeg;
let world: World;
let held: number;

beforeAll(async () => {
  ffmpeg = new ScriptedFfmpeg();
  world = await World.open({ FFMPEG_PATH: ffmpeg.path });
  await uncovered();
  held = descriptors(world.server.pid).length;
});
afterAll(async () => {
  await world.close();
  ffmpeg.remove();
});

/** Expects that a video is stored in time, but gets no cover. */
async function uncovered(): Promise<void> {
  using stopwatch = startStopwatch();
  const reply = await world.upload([file('film.mp4', mp4())]);
  expect(stopwatch.elapsed()).toBeLessThan(TIMEOUT);
  expect(reply.status).toBe(201);
  expect(mediaItems(reply)).toMatchObject([{ status: 'active', thumbnail: null }]);
}

/** Expects that ffmpeg leaves no processes, descriptors, memory or files behind. */
async function expectNothingLeft(): Promise<void> {
  await until('no process is left', () => ffmpeg.running().length === 0);
  await until('no descriptor is left', () => descriptors(world.server.pid).length <= held);
  await expectPeakBelow(world.server.pid, MAX_MEGABYTES);
  expect(await leftovers(world)).toEqual([]);
}

/** Scripts that crash, print without end, allocate too much, or leave a child process behind. */
const MISBEHAVIOUR: readonly (readonly string[])[] = [
  ['kill -SEGV $$'],
  ['cat /dev/zero >&2 &', 'exec cat /dev/zero'],
  ['exec dd if=/dev/zero of=/dev/null bs=2G count=1'],
  ['(sleep 1000; :) </dev/null >/dev/null 2>&1 &', 'exit 0'],
];

test('an ffmpeg that hangs, ignores signals or misbehaves in other ways leaves nothing behind', async () => {
  ffmpeg.does("trap '' TERM INT HUP", 'for i in 1 2 3; do (trap "" TERM; sleep 1000; :) & done', 'wait');
  const hanging = uncovered();
  await until('it hangs', () => ffmpeg.running().length >= 4);
  expect((await world.upload([file('beach.jpg', jpeg())])).status).toBe(201);
  expect((await world.call('GET /ready', { token: null })).status).toBe(200);
  await hanging;
  for (const lines of MISBEHAVIOUR) {
    ffmpeg.does(...lines);
    await uncovered();
  }
  await expectNothingLeft();
});

test('covers are made once ffmpeg works again, and none are made when it is missing', async () => {
  ffmpeg.does(`PATH=/usr/local/bin:/usr/bin:/bin exec ffmpeg "$@"`);
  const [covered] = mediaItems(await world.upload([file('film.mp4', mp4())]));
  expect(covered).toMatchObject({ status: 'active', thumbnail: { status: 'active' } });
  rmSync(ffmpeg.path);
  await uncovered();
  await expectNothingLeft();
});
