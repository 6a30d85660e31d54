import { afterAll, beforeAll, expect, setDefaultTimeout, test } from 'bun:test';
import { rmSync } from 'node:fs';
import { leftovers } from '../import/support/imports.ts';
import { jpeg, mp4 } from '../support/fixtures.ts';
import { file } from '../support/multipart.ts';
import { mediaItems } from '../support/shapes.ts';
import { until } from '../support/until.ts';
import { World } from '../support/world.ts';
import { OddFfmpeg } from './support/ffmpeg.ts';
import { descriptors, peakMemory } from './support/held.ts';

setDefaultTimeout(60_000);

/** Milliseconds that a cover may take (15 s), and some for a busy machine. */
const PATIENCE = 20_000;
const MAX_MEMORY = 150 * 1024 * 1024;

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
  expect(performance.now() - start).toBeLessThan(PATIENCE);
  expect(reply.status).toBe(201);
  expect(mediaItems(reply)).toMatchObject([{ status: 'active', thumbnail: null }]);
}

/** Nothing of it is left: processes, descriptors, memory, files. */
async function expectNothingLeft(): Promise<void> {
  await until('no process is left', () => ffmpeg.running().length === 0);
  expect(descriptors(world.server.pid).length).toBeLessThanOrEqual(held);
  expect(peakMemory(world.server.pid)).toBeLessThan(MAX_MEMORY);
  expect(await leftovers(world)).toEqual([]);
}

test('an ffmpeg that hangs, with children, and takes no signal but one: others are served meanwhile', async () => {
  ffmpeg.does("trap '' TERM INT HUP", 'for i in 1 2 3; do (trap "" TERM; sleep 1000; :) & done', 'wait');
  const hanging = [uncovered(), uncovered()];
  await until('it hangs', () => ffmpeg.running().length >= 8);
  expect((await world.upload([file('beach.jpg', jpeg())])).status).toBe(201);
  expect((await world.call('GET /ready', { token: null })).status).toBe(200);
  await Promise.all(hanging);
  await expectNothingLeft();
});

test.each([
  ['crashes', ['kill -SEGV $$']],
  ['writes without end', ['exec cat /dev/zero']],
  ['eats memory without end', ['x=0123456789abcdef', 'while :; do x=$x$x; done']],
  ['leaves children behind', ['(sleep 1000; :) </dev/null >/dev/null 2>&1 &', 'exit 0']],
])('an ffmpeg that %s', async (_, lines) => {
  ffmpeg.does(...lines);
  await uncovered();
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
