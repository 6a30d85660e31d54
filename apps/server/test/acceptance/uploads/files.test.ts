import { afterAll, beforeAll, describe, expect, setDefaultTimeout, test } from 'bun:test';
import { chmodSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import * as fixtures from '../support/fixtures.ts';
import { field, file, type Part } from '../support/multipart.ts';
import { at, keysOf } from '../support/reply.ts';
import { removeFolder, scratchFolder } from '../support/server.ts';
import { type MediaItem, mediaItems } from '../support/shapes.ts';
import { World } from '../support/world.ts';

setDefaultTimeout(60_000);

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

/** Row: what the file is, its bytes, the name it goes out under, and what must come back. */
const types: readonly [string, () => Uint8Array, string, Partial<MediaItem>][] = [
  ['JPEG', fixtures.jpeg, 'beach.jpg', { name: 'beach.jpg', width: 40, height: 30, time: null }],
  ['PNG', fixtures.png, 'chart.png', { name: 'chart.png', width: 32, height: 24, time: null }],
  ['GIF, moving', fixtures.gif, 'cat.gif', { name: 'cat.gif', width: 24, height: 16, time: null }],
  ['WebP', fixtures.webp, 'sea.webp', { name: 'sea.webp', width: 48, height: 36, time: null }],
  ['MP4', fixtures.mp4, 'film.mp4', { name: 'film.mp4', width: 64, height: 48, time: 2 }],
  ['MP4, header first', fixtures.faststartMp4, 'fast.mp4', { name: 'fast.mp4', width: 64, height: 48, time: 2 }],
  ['MP4, in fragments', fixtures.fragmentedMp4, 'frag.mp4', { name: 'frag.mp4', width: 64, height: 48, time: 2 }],
  ['QuickTime', fixtures.mov, 'clip.mov', { name: 'clip.mov', width: 64, height: 48, time: 3 }],
];

describe('"POST upload as multipart files[]: active, HTTP 201", {data: [media item], message}', () => {
  for (const [what, bytes, name, wanted] of types) {
    test(`${what}: size, dimensions, duration, link, byte for byte`, async () => {
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

  test('"1 to 10 items per request": ten of all six types, in the order they were sent', async () => {
    const names = ['a.jpg', 'b.png', 'c.gif', 'd.webp', 'e.mp4', 'f.mov', 'g.jpg', 'h.png', 'i.gif', 'j.webp'];
    const bytes = [fixtures.jpeg, fixtures.png, fixtures.gif, fixtures.webp, fixtures.mp4, fixtures.mov].map((make) =>
      make(),
    );
    const items = await world.store(...names.map((name, index) => file(name, bytes[index % 6] ?? '')));
    expect(items.map((item) => item.name)).toEqual(names);
    expect(new Set(items.map((item) => item.id)).size).toBe(10);
    expect([...items.map((item) => item.id)].sort()).toEqual(items.map((item) => item.id));
  });

  test('"The multipart field is files[]; files is taken too", also both in one request', async () => {
    const items = await world.store(
      file('one.png', fixtures.png(), 'files'),
      file('two.png', fixtures.png(), 'files[]'),
    );
    expect(items.map((item) => item.name)).toEqual(['one.png', 'two.png']);
  });

  test('two files of one name are two items', async () => {
    const items = await world.store(file('same.png', fixtures.png()), file('same.png', fixtures.png()));
    expect(new Set(items.map((item) => item.full_name)).size).toBe(2);
  });
});

describe('"label … applied to every file in the request"; "folder_id: Folder from the folder list"', () => {
  const fields = () => [field('label', 'Été 🏖'), field('folder_id', String(world.ids.folder))];
  const files = () => [file('one.png', fixtures.png()), file('two.jpg', fixtures.jpeg())];
  const orders: readonly [string, () => Part[]][] = [
    ['fields before the files', () => [...fields(), ...files()]],
    ['fields after the files', () => [...files(), ...fields()]],
    [
      'a field between the files',
      () => [...fields().slice(0, 1), ...files().slice(0, 1), ...fields().slice(1), ...files().slice(1)],
    ],
  ];
  for (const [name, parts] of orders) {
    test(name, async () => {
      for (const item of await world.store(...parts())) {
        expect(item).toMatchObject({ label: 'Été 🏖', folder_id: String(world.ids.folder) });
      }
    });
  }

  test('"Max 250 characters", counted in Unicode code points: 250 emoji', async () => {
    const label = '🏖'.repeat(250);
    expect((await world.storeOne(file('a.png', fixtures.png()), field('label', label))).label).toBe(label);
  });

  test('fields that nobody asked for are ignored', async () => {
    const parts = [field('status', 'failed'), field('id', '1'), field('name', 'other'), field('__proto__', 'x')];
    expect(await world.storeOne(...parts, file('a.png', fixtures.png()))).toMatchObject({
      name: 'a.png',
      status: 'active',
    });
  });

  test('markup in a label comes back as it was', async () => {
    const label = '<script>alert("x")</script> & \'quotes\' \\';
    expect((await world.storeOne(field('label', label), file('a.png', fixtures.png()))).label).toBe(label);
  });
});

describe('"width/height are as displayed (EXIF orientation and video rotation applied)"', () => {
  for (let orientation = 1; orientation <= 8; orientation++) {
    const turned = orientation > 4;
    test(`EXIF orientation ${orientation}`, async () => {
      const item = await world.storeOne(file('photo.jpg', fixtures.orientedJpeg(orientation)));
      expect([item.width, item.height]).toEqual(turned ? [30, 40] : [40, 30]);
    });
  }

  test('a video turned by 90 degrees, and its cover stands upright too', async () => {
    const item = await world.storeOne(file('portrait.mp4', fixtures.rotatedMp4()));
    expect([item.width, item.height]).toEqual([48, 64]);
    const { width, height } = item.thumbnail ?? {};
    expect(Number(height)).toBeGreaterThan(Number(width));
  });
});

describe('"time is whole seconds, rounded, at least 1 for a video, null for images"', () => {
  for (const [seconds, time] of [
    [0.3, 1],
    [1.4, 1],
    [1.6, 2],
    [2.4, 2],
  ] as const) {
    test(`${seconds} s is ${time}`, async () => {
      expect((await world.storeOne(file('a.mp4', fixtures.mp4(seconds)))).time).toBe(time);
    });
  }
});

describe('"thumbnail: a video\'s cover, itself a media item (thumbnail null in it)"', () => {
  test('"null for images"', async () => {
    expect((await world.storeOne(file('a.jpg', fixtures.jpeg()))).thumbnail).toBeNull();
  });

  for (const [name, bytes] of [
    ['film.mp4', fixtures.mp4],
    ['clip.mov', fixtures.mov],
  ] as const) {
    test(`${name}: an active image that its link shows`, async () => {
      const cover = (await world.storeOne(file(name, bytes()))).thumbnail;
      expect(cover).toMatchObject({ status: 'active', error_message: null, time: null, thumbnail: null });
      expect(Number(cover?.width) / Number(cover?.height)).toBeCloseTo(64 / 48, 1);
      const picture = await download(String(cover?.link));
      expect(picture.length).toBe(Number(cover?.size));
      // JPEG, PNG, WebP: whichever it is, a picture that another program decodes.
      const again = await world.storeOne(file(String(cover?.name), picture));
      expect(again).toMatchObject({ width: cover?.width ?? null, height: cover?.height ?? null, time: null });
    });
  }

  test('"null when … the codec can\'t be read"; the video is active all the same', async () => {
    const item = await world.storeOne(file('broken.mp4', fixtures.undecodableMp4()));
    expect(item).toMatchObject({ status: 'active', thumbnail: null, width: 64, height: 48, time: 2 });
  });

  test('"when it is missing or fails the video is still active with thumbnail null"', async () => {
    const folder = scratchFolder();
    const failing = join(folder, 'ffmpeg');
    writeFileSync(failing, '#!/bin/sh\nexit 1\n');
    chmodSync(failing, 0o755);
    const without = await World.open({ FFMPEG_PATH: failing });
    try {
      const item = await without.storeOne(file('film.mp4', fixtures.mp4()));
      expect(item).toMatchObject({ status: 'active', thumbnail: null, time: 2 });
    } finally {
      await without.close();
      removeFolder(folder);
    }
  });
});
