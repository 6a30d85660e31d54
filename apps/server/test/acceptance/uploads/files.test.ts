import { afterAll, beforeAll, describe, expect, test } from 'bun:test';
import { hasFfmpeg } from '../support/ffmpeg.ts';
import * as fixtures from '../support/fixtures.ts';
import { field, file, type Part } from '../support/multipart.ts';
import { at, keysOf } from '../support/reply.ts';
import { type MediaItem, mediaItems } from '../support/shapes.ts';
import { World } from '../support/world.ts';

// packages/media/test/inspect tests the inspection of files, and ../faults tests failures of ffmpeg.
let world: World;

beforeAll(async () => {
  world = await World.open();
  world.ids.folder = await world.folder('Holidays');
});

afterAll(() => world.close());

async function download(link: string): Promise<Uint8Array> {
  const response = await fetch(link);
  expect(response.status).toBe(200);
  return new Uint8Array(await response.arrayBuffer());
}

/** Row: the file's type, its bytes, the name under which it is sent, and fields of the item. */
const types: readonly [string, () => Uint8Array, string, Partial<MediaItem>][] = [
  ['JPEG', fixtures.jpeg, 'beach.jpg', { name: 'beach.jpg', width: 40, height: 30, time: null }],
  ['animated GIF', fixtures.gif, 'cat.gif', { name: 'cat.gif', width: 24, height: 16, time: null }],
  ['MP4', fixtures.mp4, 'film.mp4', { name: 'film.mp4', width: 64, height: 48, time: 2 }],
];

describe('uploading', () => {
  for (const [what, bytes, name, wanted] of types) {
    test(`stores ${what} files unchanged, as active items with their size, dimensions, duration and link`, async () => {
      const reply = await world.upload([file(name, bytes())]);
      expect(reply.status).toBe(201);
      expect(keysOf(reply.json)).toEqual(['data', 'message']);
      expect(at(reply.json, 'message')).toBeString();
      const [item, ...others] = mediaItems(reply);
      expect(others).toEqual([]);
      expect(item).toMatchObject({
        ...wanted,
        label: null,
        status: 'active',
        error_message: null,
        size: bytes().length,
        folder_id: null,
      });
      expect(item?.full_name).toBe(`${world.ids.workspace}/${item?.id}/${name}`);
      expect(item?.link).toBe(`${world.ids.url}/files/${item?.full_name}`);
      expect(Buffer.compare(await download(String(item?.link)), bytes())).toBe(0);
      expect(await world.holds(String(item?.full_name))).toBe(true);
    });
  }

  test('returns ten items, of all six types, in the order in which the files were sent', async () => {
    const names = ['a.jpg', 'b.png', 'c.gif', 'd.webp', 'e.mp4', 'f.mov', 'g.jpg', 'h.png', 'i.gif', 'j.webp'];
    const bytes = [fixtures.jpeg, fixtures.png, fixtures.gif, fixtures.webp, fixtures.mp4, fixtures.mov].map((make) =>
      make(),
    );
    const items = await world.store(...names.map((name, index) => file(name, bytes[index % 6] ?? '')));
    expect(items.map((item) => item.name)).toEqual(names);
    expect(new Set(items.map((item) => item.id)).size).toBe(10);
    expect([...items.map((item) => item.id)].sort()).toEqual(items.map((item) => item.id));
  });

  test('stores two files with the same name, in the fields files and files[], as separate items', async () => {
    const items = await world.store(
      file('same.png', fixtures.png(), 'files'),
      file('same.png', fixtures.png(), 'files[]'),
    );
    expect(items.map((item) => item.name)).toEqual(['same.png', 'same.png']);
    expect(new Set(items.map((item) => item.full_name)).size).toBe(2);
  });
});

describe('the fields of an upload', () => {
  const fields = () => [field('label', 'Été 🏖'), field('folder_id', String(world.ids.folder))];
  const files = () => [file('one.png', fixtures.png()), file('two.jpg', fixtures.jpeg())];
  const orders: readonly [string, () => Part[]][] = [
    ['fields before the files', () => [...fields(), ...files()]],
    ['fields after the files', () => [...files(), ...fields()]],
  ];
  for (const [name, parts] of orders) {
    test(`apply to every file: ${name}`, async () => {
      for (const item of await world.store(...parts())) {
        expect(item).toMatchObject({ label: 'Été 🏖', folder_id: String(world.ids.folder) });
      }
    });
  }

  test('are ignored if they are unknown', async () => {
    const parts = [field('status', 'failed'), field('id', '1'), field('name', 'other'), field('__proto__', 'x')];
    expect(await world.storeOne(...parts, file('a.png', fixtures.png()))).toMatchObject({
      name: 'a.png',
      status: 'active',
    });
  });
});

test.skipIf(!hasFfmpeg)(
  'a video rotated by 90 degrees has its dimensions as displayed, and an upright cover',
  async () => {
    const item = await world.storeVideo(file('portrait.mp4', fixtures.rotatedMp4()));
    expect([item.width, item.height]).toEqual([48, 64]);
    const { width, height } = item.thumbnail ?? {};
    expect(Number(height)).toBeGreaterThan(Number(width));
  },
);

test('the duration of a video is rounded to whole seconds, and at least one', async () => {
  const items = await world.store(...[0.3, 1.6].map((seconds) => file('a.mp4', fixtures.mp4(seconds))));
  expect(items.map(({ time }) => time)).toEqual([1, 2]);
});

test.skipIf(!hasFfmpeg)('a video has a cover, which is itself an active image with a link', async () => {
  const cover = (await world.storeVideo(file('film.mp4', fixtures.mp4()))).thumbnail;
  expect(cover).toMatchObject({ status: 'active', error_message: null, time: null, thumbnail: null });
  expect(Number(cover?.width) / Number(cover?.height)).toBeCloseTo(64 / 48, 1);
  const picture = await download(String(cover?.link));
  expect(picture.length).toBe(Number(cover?.size));
  // The cover is a valid image of an accepted type, so it can be uploaded as a media item.
  const again = await world.storeOne(file(String(cover?.name), picture));
  expect(again).toMatchObject({ width: cover?.width ?? null, height: cover?.height ?? null, time: null });
});

test('a video that cannot be decoded is active without a cover', async () => {
  const item = await world.storeOne(file('broken.mp4', fixtures.undecodableMp4()));
  expect(item).toMatchObject({ status: 'active', thumbnail: null, width: 64, height: 48, time: 2 });
});
