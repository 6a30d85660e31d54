import { expect } from 'bun:test';
import { testsThatNeed } from '@postshelf/testing/programs';
import { ScriptedFfmpeg } from '../faults/support/ffmpeg.ts';
import { mp4 } from '../support/fixtures.ts';
import { boundary, file, multipart } from '../support/multipart.ts';
import { stringAt } from '../support/reply.ts';
import { type MediaItem, mediaItems, oneMediaItem } from '../support/shapes.ts';
import { until } from '../support/until.ts';
import { World } from '../support/world.ts';

const { afterAll, beforeAll, test } = testsThatNeed(['ffmpeg'], 'turns in making covers');

const HANGS = 'sleep 1000; :';
const WORKS = 'PATH=/usr/local/bin:/usr/bin:/bin exec ffmpeg "$@"';

let ffmpeg: ScriptedFfmpeg;
let world: World;
const workspaces: string[] = [];

beforeAll(async () => {
  ffmpeg = new ScriptedFfmpeg();
  world = await World.openAlone({ FFMPEG_PATH: ffmpeg.path });
  await world.operator();
  for (const name of ['one', 'two', 'three']) {
    const made = await world.call('POST /workspaces', { token: 'operator', json: { name } });
    const workspace = stringAt(made.json, 'data', 'id');
    workspaces.push(workspace);
    await world.token(name, workspace);
  }
});
afterAll(async () => {
  await world.close();
  ffmpeg.remove();
});

const body = multipart([file('film.mp4', mp4())]);

function upload(index: number, token: string, signal?: AbortSignal): Promise<Response> {
  return fetch(`${world.ids.base}/workspaces/${workspaces[index]}/media_contents`, {
    method: 'POST',
    headers: {
      'content-type': `multipart/form-data; boundary="${boundary}"`,
      authorization: `Bearer ${world.tokens[token]}`,
    },
    body: Buffer.from(body.bytes),
    ...(signal && { signal }),
  });
}

const figure = async (name: string): Promise<string | undefined> => {
  const figures = await (await fetch(`${world.ids.url}/metrics`)).text();
  return new RegExp(`^${name.replace(/[{}]/g, '\\$&')} (.*)$`, 'm').exec(figures)?.[1];
};
const coversRunning = () => figure('postshelf_work_in_use{kind="covers"}');

async function itemOf(id: string): Promise<MediaItem> {
  return oneMediaItem(await world.call(`GET /media_contents/${id}`, { token: 'three' }));
}

test('a video whose cover has to wait for other covers is active immediately, and gets its cover later', async () => {
  ffmpeg.does(HANGS);
  const leaving = new AbortController();
  const held = [upload(0, 'one', leaving.signal), upload(1, 'two', leaving.signal)];
  await until('two covers are being made', async () => (await coversRunning()) === '2');
  // No upload slot is in use while a cover is made.
  expect(await figure('postshelf_work_in_use{kind="uploads"}')).toBe('0');

  const response = await upload(2, 'three');
  expect(response.status).toBe(201);
  const reply = { json: await response.json() };
  const id = stringAt(reply.json, 'data', '0', 'id');
  expect(await itemOf(id)).toMatchObject({ status: 'active', thumbnail: null });
  expect(await figure('postshelf_jobs_waiting{kind="cover"}')).toBe('1');

  // When the first two clients disconnect, their covers are abandoned, so that the third cover can be made.
  ffmpeg.does(WORKS);
  leaving.abort();
  await Promise.allSettled(held);
  await until('no cover hangs', () => ffmpeg.running().length === 0);
  await until('the cover has followed', async () => (await itemOf(id)).thumbnail !== null, 60_000);
  expect(await figure('postshelf_jobs_waiting{kind="cover"}')).toBe('0');
  for (const [index, token] of (['one', 'two'] as const).entries()) {
    const list = await world.call(`GET /workspaces/${workspaces[index]}/media_contents`, { token });
    expect(mediaItems(list)).toEqual([]);
  }
});
