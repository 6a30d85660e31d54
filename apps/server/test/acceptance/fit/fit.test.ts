import { expect } from 'bun:test';
import { testsThatNeed } from '@postshelf/testing/programs';
import { ScriptedFfmpeg } from '../faults/support/ffmpeg.ts';
import { settled } from '../imports/support/imports.ts';
import { issue } from '../presign/support/uploads.ts';
import { jpeg, mp4, png } from '../support/fixtures.ts';
import { file } from '../support/multipart.ts';
import { at, type Reply, stringAt } from '../support/reply.ts';
import { row, table } from '../support/table.ts';
import { until } from '../support/until.ts';
import { World } from '../support/world.ts';

const { afterAll, beforeAll, describe, test } = testsThatNeed(['ffmpeg'], 'fitted files');

const WORKS = 'PATH=/usr/local/bin:/usr/bin:/bin exec ffmpeg "$@"';

let ffmpeg: ScriptedFfmpeg;
let world: World;

beforeAll(async () => {
  ffmpeg = new ScriptedFfmpeg();
  ffmpeg.does(WORKS);
  world = await World.openAlone({ FFMPEG_PATH: ffmpeg.path });
  const folder = await world.call('POST /workspaces/{workspace}/media_library/folders', { json: { name: 'Fits' } });
  world.ids.folder = stringAt(folder.json, 'data', 'id');
  const store = async (name: string, bytes: Uint8Array) => (await world.storeOne(file(name, bytes))).id;
  world.ids.photo = await store('beach.jpg', jpeg());
  world.ids.drawing = await store('drawing.png', png());
  world.ids.video = await store('film.mp4', mp4());
  world.ids.announced = (await issue(world, jpeg())).id;
  const json = { folder_id: '{folder}', label: 'Summer', alt_text: 'Waves' };
  await world.call('PATCH /media_contents/{drawing}', { json });
});

afterAll(async () => {
  await world.close();
  ffmpeg.remove();
});

const shown = async (id: string) => at((await world.call(`GET /media_contents/${id}?include=details`)).json, 'data');
const verdictOf = async (id: string, target: string): Promise<unknown> =>
  at((await world.call(`GET /media_contents/${id}/readiness?targets=${target}`)).json, 'data', 0, 'verdict');

async function made(reply: Reply): Promise<string> {
  expect({ status: reply.status, text: reply.text }).toEqual({ status: 202, text: reply.text });
  expect(at(reply.json, 'data', 0)).toMatchObject({ status: 'processing', size: null, thumbnail: null });
  const id = stringAt(reply.json, 'data', 0, 'id');
  expect(await settled(world, { id }, 90_000)).toMatchObject({ status: 'active', error_message: null });
  return id;
}

describe('fitting', () => {
  test('an image creates a new item that is ready for the target', async () => {
    const before = await shown('{drawing}');
    const id = await made(
      await world.call('POST /media_contents/{drawing}/fit', { json: { target: 'instagram.feed' } }),
    );
    const item = await shown(id);
    expect(item).toMatchObject({
      ...{ name: 'drawing-instagram-feed.jpg', label: 'Summer', folder_id: world.ids.folder, width: 320 },
      details: { source: world.ids.drawing, mime: 'image/jpeg', alt_text: 'Waves', tags: [] },
    });
    expect(await verdictOf(id, 'instagram.feed')).toBe('ready');
    const served = await fetch(stringAt(item, 'link'));
    expect([served.status, served.headers.get('content-type')]).toEqual([200, 'image/jpeg']);
    expect((await served.bytes()).length).toBe(Number(at(item, 'size')));
    expect(await shown('{drawing}')).toEqual(before);
    expect(at(before, 'details', 'source')).toBeNull();
  });

  test('a part of an image creates an item with the size of that part', async () => {
    const crop = { x: 0.5, y: 0, width: 0.5, height: 0.5 };
    const json = { target: 'x.post', crop };
    const id = await made(await world.call('POST /media_contents/{drawing}/fit', { json }));
    // The whole drawing is 32 pixels wide and 24 high, and the part has half of the width and half of the height.
    expect(await shown(id)).toMatchObject({ width: 16, height: 12 });
  });

  test('a video over tRPC creates an item with a cover that is ready for the target', async () => {
    const input = { id: '{video}', target: 'youtube.short', how: 'crop' };
    const called = await world.call('POST /trpc/media.fit', { json: input });
    const id = stringAt(called.json, 'result', 'data', 'data', 0, 'id');
    await settled(world, { id }, 90_000);
    const item = await shown(id);
    expect(item).toMatchObject({ status: 'active', name: 'film-youtube-short.mp4', thumbnail: { status: 'active' } });
    expect(at(item, 'width')).toBe(at(item, 'height'));
    expect(at(item, 'details', 'video')).toMatchObject({ codec: 'avc', moov_first: true, edit_list: false });
    expect(await verdictOf(id, 'youtube.short')).toBe('ready');
  });
});

describe('fitting is refused for', () => {
  const fit = (name: string) => `POST /media_contents/{${name}}/fit`;
  const fails = (...fields: readonly string[]) => Object.fromEntries(fields.map((field) => [field, true as const]));
  table(
    () => world,
    [
      row('a missing target', fit('photo'), {}, 422, fails('target')),
      row(
        'an unknown target and an unknown way of fitting',
        fit('photo'),
        { target: 'x', how: 'stretch' },
        422,
        fails('how', 'target'),
      ),
      row(
        'a crop that exceeds the image and has no height',
        fit('photo'),
        { target: 'x.post', crop: { x: 0.6, y: 0, width: 0.5, height: 0 } },
        422,
        fails('crop'),
      ),
      row(
        'a crop outside of the image without a size',
        fit('photo'),
        { target: 'x.post', crop: { x: 2, y: 0 } },
        422,
        fails('crop.height', 'crop.width', 'crop.x'),
      ),
      row('an image where a video is needed', fit('photo'), { target: 'youtube.video' }, 422, fails('target')),
      row('a video that is too short', fit('video'), { target: 'pinterest.pin' }, 422, fails('target')),
      row(
        'an item that has not been uploaded yet',
        fit('announced'),
        { target: 'x.post' },
        422,
        fails('media_content'),
      ),
      row('an unknown item', fit('foreign'), { target: 'x.post' }, 404),
    ],
  );
});

test('a fit interrupted by kill -9 is completed once by the next process, and the first ffmpeg ends', async () => {
  const before = await world.files();
  // `running()` finds processes by the script's path. The script is replaced by `tail`, so `tail` gets this path as an
  // argument.
  ffmpeg.does('exec tail -f "$0"');
  const begun = await world.call('POST /media_contents/{photo}/fit', { json: { target: 'x.post' } });
  const id = stringAt(begun.json, 'data', 0, 'id');
  await until('ffmpeg runs', () => ffmpeg.running().length > 0, 60_000);
  await world.server.end('SIGKILL');
  await until('it has ended', () => ffmpeg.running().length === 0, 60_000);
  ffmpeg.does(WORKS);
  await world.restart();
  const made = await settled(world, { id }, 90_000);
  expect(made).toMatchObject({ status: 'active', name: 'beach-x-post.jpg' });
  const added = (await world.files()).filter((name) => name.includes(id));
  expect([added.length, await world.holds(made.full_name)]).toEqual([1, true]);
  await world.untilFilesAre([...before, ...added]);
});
