import { afterAll, beforeAll, expect, setDefaultTimeout, test } from 'bun:test';
import { rmSync } from 'node:fs';
import { leftovers } from '../imports/support/imports.ts';
import { jpeg, mp4 } from '../support/fixtures.ts';
import { file } from '../support/multipart.ts';
import { mediaItems } from '../support/shapes.ts';
import { until } from '../support/until.ts';
import { World } from '../support/world.ts';
import { OddFfmpeg } from './support/ffmpeg.ts';
import { descriptors, peakMemory } from './support/held.ts';

setDefaultTimeout(60_000);

/** Milliseconds that a cover may take (15 s), and some for a busy machine. */
const TIMEOUT = 35_000;
/** Bytes: two covers at once are read into memory, of up to 10 MB each before one that is longer is given up. */
const MAX_MEMORY = 200 * 1024 * 1024;

let ffmpeg: OddFfmpeg;
let world: World;
let held: number;

beforeAll(async () => {
  ffmpeg = new OddFfmpeg();
  world = await World.open({ FFMPEG_PATH: ffmpeg.path });
  await uncovered();
  held = descriptors(world.server.pid).length;
});
afterAll(async () => {
  await world.close();
  ffmpeg.remove();
});

/** A video is stored all the same, in time, without a cover. */
async function uncovered(): Promise<void> {
  const start = performance.now();
  const reply = await world.upload([file('film.mp4', mp4())]);
  expect(performance.now() - start).toBeLessThan(TIMEOUT);
  expect(reply.status).toBe(201);
  expect(mediaItems(reply)).toMatchObject([{ status: 'active', thumbnail: null }]);
}

/** Nothing of it is left: processes, descriptors, memory, files. */
async function expectNothingLeft(): Promise<void> {
  await until('no process is left', () => ffmpeg.running().length === 0);
  await until('no descriptor is left', () => descriptors(world.server.pid).length <= held);
  expect(peakMemory(world.server.pid)).toBeLessThan(MAX_MEMORY);
  expect(await leftovers(world)).toEqual([]);
}

/** It crashes, writes without end, eats memory without end, leaves children behind. */
const MISBEHAVIOUR: readonly (readonly string[])[] = [
  ['kill -SEGV $$'],
  ['exec cat /dev/zero'],
  ['x=0123456789abcdef', 'while :; do x=$x$x; done'],
  ['(sleep 1000; :) </dev/null >/dev/null 2>&1 &', 'exit 0'],
];

test('an ffmpeg that hangs with children and ignores signals but SIGKILL, and other misbehaviour', async () => {
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

test('an ffmpeg that works again makes covers again; one that is gone makes none', async () => {
  ffmpeg.does(`PATH=/usr/local/bin:/usr/bin:/bin exec ffmpeg "$@"`);
  const [covered] = mediaItems(await world.upload([file('film.mp4', mp4())]));
  expect(covered).toMatchObject({ status: 'active', thumbnail: { status: 'active' } });
  rmSync(ffmpeg.path);
  await uncovered();
  await expectNothingLeft();
});
