import { afterAll, beforeAll, expect, setDefaultTimeout, test } from 'bun:test';
import { OddFfmpeg } from '../faults/support/ffmpeg.ts';
import { settled } from '../imports/support/imports.ts';
import { jpeg } from '../support/fixtures.ts';
import { file } from '../support/multipart.ts';
import { stringAt } from '../support/reply.ts';
import { until } from '../support/until.ts';
import { World } from '../support/world.ts';

setDefaultTimeout(180_000);

let ffmpeg: OddFfmpeg;
let world: World;

beforeAll(async () => {
  ffmpeg = new OddFfmpeg();
  world = await World.openAlone({ FFMPEG_PATH: ffmpeg.path });
});
afterAll(async () => {
  await world.close();
  ffmpeg.remove();
});

test('what was being made when the service was killed is made by the next, once, and by no tool of the first', async () => {
  const { id: original, full_name } = await world.storeOne(file('beach.jpg', jpeg()));
  // Its own path stands among the words of what it becomes, so that it is counted.
  ffmpeg.does('exec tail -f "$0"');
  const begun = await world.call(`POST /media_contents/${original}/fit`, { json: { target: 'x.post' } });
  const id = stringAt(begun.json, 'data', 0, 'id');
  await until('ffmpeg runs', () => ffmpeg.running().length > 0, 60_000);
  await world.server.end('SIGKILL');
  await until('its ffmpeg is gone', () => ffmpeg.running().length === 0, 60_000);
  ffmpeg.does('PATH=/usr/local/bin:/usr/bin:/bin exec ffmpeg "$@"');
  await world.restart();
  const made = await settled(world, { id }, 90_000);
  expect(made).toMatchObject({ status: 'active', name: 'beach-x-post.jpg' });
  const pictures = (await world.files()).filter((name) => name.endsWith('.jpg'));
  expect([pictures.length, await world.holds(full_name), await world.holds(made.full_name)]).toEqual([2, true, true]);
});
