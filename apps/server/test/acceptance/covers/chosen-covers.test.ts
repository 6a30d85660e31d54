import { expect } from 'bun:test';
import { testsThatNeed } from '@postshelf/testing/programs';
import { Stream } from '../events/support/stream.ts';
import * as fixtures from '../support/fixtures.ts';
import { file } from '../support/multipart.ts';
import { at, type Reply } from '../support/reply.ts';
import { type MediaItem, oneMediaItem } from '../support/shapes.ts';
import { until } from '../support/until.ts';
import { World } from '../support/world.ts';

const { afterAll, beforeAll, test } = testsThatNeed(['ffmpeg'], 'covers that a user chose');

let world: World;
let video: MediaItem;
let poster: MediaItem;

beforeAll(async () => {
  world = await World.open({ UNDO_DAYS: '0' });
  video = await world.storeOne(file('film.mp4', fixtures.mp4(3)));
  poster = await world.storeOne(file('poster.png', fixtures.png()));
  Object.assign(world.ids, { video: video.id, poster: poster.id });
});
afterAll(() => world.close());

const choose = (cover: unknown, more: object = {}, options: object = {}): Promise<Reply> =>
  world.call('PATCH /media_contents/{video}', { json: { cover, ...more }, ...options });

/** Chooses again while too many others wait for ffmpeg, which can happen on a busy machine. */
async function chooseWhenFree(cover: unknown): Promise<Reply> {
  const reply = await choose(cover);
  return reply.status === 503 ? chooseWhenFree(cover) : reply;
}

const fieldsOf = ({ status, json }: Reply) => [status, ...Object.keys(Object(at(json, 'errors')))];

/** The full names of the objects that will be purged once no process can need them. */
const toBeDestroyed = (): Promise<string[]> => world.database.column('select full_name from deletions');

const bytesAt = async (link: string): Promise<Uint8Array> => {
  const response = await fetch(link);
  if (response.status !== 200) throw new Error(`${link} is answered with ${response.status}.`);
  return response.bytes();
};

test('a chosen frame becomes the cover, with a new link, new previews and one event', async () => {
  const stream = await Stream.open(world, { query: '?types=media.updated' });
  const reply = await choose({ at: 2 }, { label: 'Premiere' });
  const chosen = oneMediaItem(reply);
  expect(chosen).toMatchObject({ id: video.id, label: 'Premiere', thumbnail: { name: 'film.jpg', status: 'active' } });
  expect(chosen.thumbnail?.link).not.toBe(video.thumbnail?.link);
  expect((await bytesAt(chosen.thumbnail?.link ?? '')).length).toBe(chosen.thumbnail?.size ?? 0);
  const details = await world.call('GET /media_contents/{video}?include=details');
  const previews = at(details.json, 'data', 'details', 'previews') as { link: string }[];
  expect(previews.length).toBeGreaterThan(0);
  for (const { link } of previews) {
    expect(link).toContain(`/${chosen.thumbnail?.id}/`);
    await bytesAt(link);
  }
  expect(details.headers.get('etag')).not.toBe(reply.headers.get('etag'));
  await until('the event has arrived', () => stream.received.length > 0);
  expect(at(stream.received[0]?.data, 'data', 'thumbnail', 'id')).toBe(chosen.thumbnail?.id as string);
  stream.close();
  expect((await fetch(video.thumbnail?.link ?? '')).status).toBe(404);
  expect(await toBeDestroyed()).toContain(video.thumbnail?.full_name ?? '');
});

test('choosing the same frame again changes nothing, and If-Match is respected', async () => {
  const first = await choose({ at: 1 });
  const again = await choose({ at: 1 });
  expect(again.json).toEqual(first.json);
  expect(again.headers.get('etag')).toBe(first.headers.get('etag'));
  const other = await choose({ at: 1.5 });
  expect(other.headers.get('etag')).not.toBe(first.headers.get('etag'));
  const headers = { 'if-match': first.headers.get('etag') ?? '' };
  expect((await choose({ at: 2 }, {}, { headers })).status).toBe(412);
  expect(oneMediaItem(await world.call('GET /media_contents/{video}'))).toEqual(oneMediaItem(other));
});

test('a chosen image is copied, so the cover remains when the image is deleted', async () => {
  const chosen = oneMediaItem(await choose({ media_content_id: '{poster}' }));
  expect(chosen.thumbnail).toMatchObject({ name: 'film.png', width: 32, height: 24 });
  expect(chosen.thumbnail?.full_name).not.toBe(poster.full_name);
  expect((await world.call('DELETE /media_contents/{poster}')).status).toBe(204);
  expect(Buffer.from(await bytesAt(chosen.thumbnail?.link ?? '')).equals(Buffer.from(fixtures.png()))).toBe(true);
});

test('an invalid cover is refused with an error for its field', async () => {
  await world.call('DELETE /media_contents/{poster}');
  const photo = await world.storeOne(file('photo.jpg', fixtures.jpeg()));
  for (const [cover, ...fields] of [
    [{}, 'cover'],
    [{ at: 1, media_content_id: photo.id }, 'cover'],
    [{ at: -1 }, 'cover.at'],
    [{ at: 60 }, 'cover.at'],
    [{ media_content_id: '{unknown}' }, 'cover.media_content_id'],
  ] as const) {
    expect([cover, fieldsOf(await choose(cover))]).toEqual([cover, [422, ...fields]]);
  }
  const both = await choose({ at: 60 }, { folder_id: '{unknown}' });
  expect(fieldsOf(both).sort()).toEqual([422, 'cover.at', 'folder_id'].sort());
  const image = await world.call(`PATCH /media_contents/${photo.id}`, { json: { cover: { at: 0 } } });
  expect(fieldsOf(image)).toEqual([422, 'cover']);
});

test('concurrent choices leave one cover, and no objects of other covers', async () => {
  const replies = await Promise.all([0, 0.4, 0.8, 1.2].map((second) => chooseWhenFree({ at: second })));
  expect(replies.map(({ status }) => status)).toEqual([200, 200, 200, 200]);
  const { thumbnail } = oneMediaItem(await world.call('GET /media_contents/{video}'));
  const covers = (await world.keptFiles()).flatMap((name) => /[^/]+\/[^/]+\/film\.jpg$/.exec(name) ?? []);
  const gone = await toBeDestroyed();
  expect(covers.filter((name) => !gone.includes(name))).toEqual([thumbnail?.full_name ?? '']);
});

test('a server without ffmpeg refuses a frame as cover, and accepts an image', async () => {
  const server = await world.startAnother(undefined, { FFMPEG_PATH: '/nowhere/ffmpeg' });
  const photo = await world.storeOne(file('another.jpg', fixtures.jpeg()));
  const send = async (cover: object) => {
    const response = await fetch(`${server.url}/v1/media_contents/${video.id}`, {
      method: 'PATCH',
      headers: { Authorization: `Bearer ${world.tokens.all}`, 'Content-Type': 'application/json' },
      body: JSON.stringify({ cover }),
    });
    return { status: response.status, json: await response.json() };
  };
  const refused = await send({ at: 1 });
  expect(refused).toMatchObject({
    status: 422,
    json: {
      errors: {
        cover: ['This server has no ffmpeg, which is needed to use a frame of the video. Choose an image instead.'],
      },
    },
  });
  expect((await send({ media_content_id: photo.id })).status).toBe(200);
  await server.end();
});
