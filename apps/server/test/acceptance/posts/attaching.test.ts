import { expect } from 'bun:test';
import { testsThatNeed } from '@postshelf/testing/programs';
import { gate, serveGated, status } from '../imports/support/answers.ts';
import { movie } from '../imports/support/files.ts';
import { accepted, importUrl, loopback, settled } from '../imports/support/imports.ts';
import { Origin } from '../imports/support/origin.ts';
import { issue } from '../presign/support/uploads.ts';
import { jpeg, mp4, png } from '../support/fixtures.ts';
import { file } from '../support/multipart.ts';
import { expectInvalid } from '../support/reply.ts';
import { World } from '../support/world.ts';
import { importAll, line } from './support/imports.ts';
import { createPost, makePost, makeProfile, postCount } from './support/posts.ts';

const { afterAll, beforeAll, describe, test } = testsThatNeed(['ffmpeg'], 'posts with a video and its cover');

let world: World;
let origin: Origin;

beforeAll(async () => {
  [world, origin] = await Promise.all([World.open(loopback), Origin.open()]);
  world.ids.profile = await makeProfile(world);
  world.ids.picture = (await world.storeOne(file('one.png', png()))).id;
  const video = await world.storeVideo(file('film.mp4', mp4()));
  world.ids.video = video.id;
  world.ids.cover = String(video.thumbnail?.id);
  const slow = origin.page('slow.mp4', serveGated(movie(100_000), 50_000, gate()));
  world.ids.processing = accepted(await importUrl(world, slow.url)).id;
  const missing = accepted(await importUrl(world, origin.page('missing.mp4', status(404)).url));
  world.ids.failed = (await settled(world, missing)).id;
  world.ids.temporary = (await issue(world, jpeg())).id;
  world.ids.deleted = (await world.storeOne(file('gone.png', png()))).id;
  expect((await world.call('DELETE /media_contents/{deleted}')).status).toBe(204);
});

afterAll(async () => {
  origin.close();
  await world.close();
});

const invalid = 'The selected media item is invalid.';

const refusals: readonly [key: string, sentence: string][] = [
  ['processing', 'The media item is still processing.'],
  ['failed', 'The media item has failed.'],
  ['temporary', 'The media item has not been uploaded yet.'],
  ['cover', 'The media item is the cover of a video.'],
  ['unknown', invalid],
  ['deleted', invalid],
  ['workspace', invalid],
  ['profile', invalid],
];

describe('attaching a media item', () => {
  const every = [...refusals.map(([key]) => `{${key}}`), '{picture}', 'no-id', '{video}', '{picture}'];

  const everyField = {
    ...Object.fromEntries(refusals.map(([, sentence], index) => [`media_content_ids.${index}`, sentence])),
    [`media_content_ids.${refusals.length + 1}`]: true,
    [`media_content_ids.${refusals.length + 3}`]: true,
  } as const;

  test('reports every invalid index together with the other failing fields', async () => {
    const before = await postCount(world);
    const fields = { media_content_ids: every, profile: '{unknown}', metrics: { likes: -1 } };
    const reply = await createPost(world, fields);
    expectInvalid(reply, { ...everyField, profile: true, 'metrics.likes': true });
    expect(await postCount(world)).toBe(before);
  });

  test('reports the same invalid indexes in a line of an import as in a single request', async () => {
    const fields = { external_id: 'x', media_content_ids: every, published_at: 'x' };
    const { rejections } = await importAll(world, line(world, fields));
    expect(Object.keys(rejections[0]?.errors ?? {}).sort()).toEqual(
      [...Object.keys(everyField), 'published_at'].sort(),
    );
    for (const [index, [, sentence]] of refusals.entries()) {
      expect(rejections[0]?.errors[`media_content_ids.${index}`]).toEqual([sentence]);
    }
  });

  test('succeeds as soon as a processing item is active', async () => {
    const rest = gate();
    const page = origin.page('film.mp4', serveGated(movie(100_000), 50_000, rest));
    const item = accepted(await importUrl(world, page.url));
    const ids = { media_content_ids: [item.id] };
    expectInvalid(await createPost(world, ids), { 'media_content_ids.0': 'The media item is still processing.' });
    rest.open();
    expect((await settled(world, item)).status).toBe('active');
    expect((await makePost(world, ids)).media_content_ids).toEqual([item.id]);
  });
});

describe('a media item in use', () => {
  const used = { media_content: 'The media item is used by a post.' };

  test('cannot be deleted until the last post that uses it is deleted', async () => {
    const { id } = await world.storeOne(file('used.png', png()));
    const one = await makePost(world, { media_content_ids: [id] });
    const other = await makePost(world, { media_content_ids: ['{picture}', id] });
    for (const post of [one, other]) {
      expectInvalid(await world.call(`DELETE /media_contents/${id}`), used);
      expect((await world.call(`GET /media_contents/${id}`)).status).toBe(200);
      expect((await world.call(`DELETE /posts/${post.id}`)).status).toBe(204);
    }
    expect((await world.call(`DELETE /media_contents/${id}`)).status).toBe(204);
  });

  test('that is a video cannot be deleted, and keeps its cover', async () => {
    await makePost(world, { media_content_ids: ['{video}'] });
    expectInvalid(await world.call('DELETE /media_contents/{video}'), used);
    for (const id of ['{video}', '{cover}']) expect((await world.call(`GET /media_contents/${id}`)).status).toBe(200);
  });
});
