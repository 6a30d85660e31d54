import { expect } from 'bun:test';
import { createHash } from 'node:crypto';
import { PLACE_TEXT, PLACE_VALUE, placeGif, placeJpeg, placePng } from '@postshelf/testing/fixtures';
import { testsThatNeed } from '@postshelf/testing/programs';
import { serve } from '../imports/support/answers.ts';
import { importUrl, loopback, settled, stored } from '../imports/support/imports.ts';
import { Origin } from '../imports/support/origin.ts';
import { uploadStorages } from '../presign/support/every-storage.ts';
import type { Library } from '../presign/support/storages.ts';
import { confirmed, issue, upload } from '../presign/support/uploads.ts';
import * as fixtures from '../support/fixtures.ts';
import { file } from '../support/multipart.ts';
import { command } from '../support/server.ts';
import { type MediaItem, mediaItems } from '../support/shapes.ts';

const { afterAll, beforeAll, describe, test } = testsThatNeed(
  ['ffmpeg'],
  'files without their coordinates, whose frames are compared',
);

// packages/media/test/location tests where files contain coordinates, and how these are removed.
/** A video as a phone records it, with a box that says where it was taken. */
function placeMp4(): Uint8Array {
  const video = Buffer.from(fixtures.mp4());
  const place = Buffer.alloc(8 + PLACE_TEXT.length);
  place.writeUInt32BE(place.length);
  place.write('\xa9xyz', 4, 'latin1');
  place.write(PLACE_TEXT, 8, 'latin1');
  const data = Buffer.alloc(8);
  data.writeUInt32BE(8 + place.length);
  data.write('udta', 4, 'latin1');
  // The movie box is the last box of the file, so making it longer moves nothing else.
  const movie = video.indexOf('moov') - 4;
  video.writeUInt32BE(video.readUInt32BE(movie) + data.length + place.length, movie);
  return Buffer.concat([video, data, place]);
}

const MARKS = [Buffer.from(PLACE_TEXT), PLACE_VALUE];
const hasPlace = (bytes: Uint8Array): boolean => MARKS.some((mark) => Buffer.from(bytes).includes(mark));
const sha256 = (bytes: Uint8Array): string => createHash('sha256').update(bytes).digest('hex');

/** The hashes of all frames that ffmpeg decodes. */
function frames(bytes: Uint8Array): string {
  const run = Bun.spawnSync(['ffmpeg', '-v', 'error', '-i', '-', '-f', 'framemd5', '-'], { stdin: Buffer.from(bytes) });
  expect(run.stderr.toString()).toBe('');
  return run.stdout.toString();
}

for (const [index, storage] of uploadStorages.entries()) {
  // Tests of pixels and of a workspace's settings run only with the first storage, because they don't depend on it.
  const isFirst = index === 0;

  describe(`with STRIP_LOCATION=true on ${storage.name}`, () => {
    let library: Library;
    let origin: Origin;
    beforeAll(async () => {
      [library, origin] = await Promise.all([storage.open({ ...loopback, STRIP_LOCATION: 'true' }), Origin.open()]);
    });
    afterAll(async () => {
      origin.close();
      await library.close();
    });

    /**
     * Checks that an item is stored as it was sent except for its coordinates, and is found by the hash of the stored
     * bytes.
     */
    async function expectStripped(item: MediaItem, sent: Uint8Array): Promise<void> {
      expect(hasPlace(sent)).toBe(true);
      const bytes = new Uint8Array(await (await fetch(item.link)).arrayBuffer());
      expect({ status: item.status, size: item.size }).toEqual({ status: 'active', size: sent.length });
      expect(bytes.length).toBe(sent.length);
      expect(hasPlace(bytes)).toBe(false);
      if (isFirst) expect(frames(bytes)).toBe(frames(sent));
      const list = 'GET /workspaces/{workspace}/media_contents?sha256=';
      const known = mediaItems(await library.world.call(`${list}${sha256(bytes)}`));
      expect(known.map(({ id }) => id)).toContain(item.id);
      expect(mediaItems(await library.world.call(`${list}${sha256(sent)}`))).toEqual([]);
    }

    test('uploaded files lose their coordinates, and keep their rotation', async () => {
      const sent = [placeJpeg(fixtures.jpeg()), placePng(fixtures.png()), placeGif(fixtures.gif()), placeMp4()];
      const parts = sent.map((bytes, index) => file(`${index}.jpg`, bytes));
      const items = await library.world.store(...parts);
      expect(items.map(({ width }) => width)).toEqual([30, 24, 24, 64]);
      for (const [index, item] of items.entries()) await expectStripped(item, sent[index] ?? new Uint8Array());
      const [plain] = await library.world.store(file('plain.jpg', fixtures.jpeg()));
      const kept = await (await fetch(String(plain?.link))).arrayBuffer();
      expect(sha256(new Uint8Array(kept))).toBe(sha256(fixtures.jpeg()));
    });

    test('a presigned upload loses its coordinates, and keeps its declared length', async () => {
      const bytes = placeJpeg(fixtures.jpeg(), 3);
      const issued = await issue(library.world, bytes);
      await upload(issued, bytes);
      const item = await confirmed(library.world, issued);
      await expectStripped(item, bytes);
      expect(await library.world.keptFiles(issued.id)).toHaveLength(1);
    });

    test('files imported by URL lose their coordinates, even if they are processed after the response', async () => {
      const image = placeJpeg(fixtures.jpeg(), 8);
      const sent = placeMp4();
      const got = stored(await importUrl(library.world, origin.page('a.jpg', serve(image)).url));
      await expectStripped(got, image);
      const reply = await importUrl(library.world, origin.page('a.mp4', serve(sent)).url);
      const [item] = mediaItems(reply);
      if (!item) throw new Error(reply.text);
      await expectStripped(await settled(library.world, item), sent);
    });

    const decides = async () => {
      const { world } = library;
      const id = String(world.ids.workspace);
      const bytes = placeJpeg(fixtures.jpeg(), 4);
      const change = (choice: string) => world.command(['workspace', 'update', id, '--strip-location', choice]);
      expect(await change('off')).toMatchObject({ id, strip_location: false });
      const kept = await world.storeOne(file('kept.jpg', bytes));
      const served = await (await fetch(kept.link)).arrayBuffer();
      expect(sha256(new Uint8Array(served))).toBe(sha256(bytes));
      expect(await change('default')).toMatchObject({ strip_location: null });
      const again = await world.storeOne(file('again.jpg', bytes));
      expect(hasPlace(new Uint8Array(await (await fetch(again.link)).arrayBuffer()))).toBe(false);
      const made = await world.command(['workspace', 'create', '--name', 'Careful', '--strip-location']);
      expect(made).toMatchObject({ strip_location: true });
      const wrong = await command(['workspace', 'update', id, '--strip-location', 'yes'], world.server.settings);
      expect(wrong).toMatchObject({ code: 2, stdout: '' });
    };
    if (isFirst) test('a workspace can override the setting for files added afterwards', decides);
  });
}
