import { afterAll, beforeAll, describe, expect, test } from 'bun:test';
import { createHash } from 'node:crypto';
import { type HeifFixtureName, heifFixture, PLACE_DATE, PLACE_TEXT, PLACE_VALUE } from '@postshelf/testing/fixtures';
import { serve } from '../imports/support/answers.ts';
import { importUrl, loopback, stored } from '../imports/support/imports.ts';
import { Origin } from '../imports/support/origin.ts';
import { uploadStorages } from '../presign/support/every-storage.ts';
import { type Library, onFiles } from '../presign/support/storages.ts';
import { confirm, confirmed, issue, presign, show, upload } from '../presign/support/uploads.ts';
import { field, file } from '../support/multipart.ts';
import { at, expectInvalid, type Reply } from '../support/reply.ts';
import { type MediaItem, mediaItems } from '../support/shapes.ts';
import { until } from '../support/until.ts';
import type { World } from '../support/world.ts';

const sha256 = (bytes: Uint8Array): string => createHash('sha256').update(bytes).digest('hex');
const bytesOf = async (name: HeifFixtureName): Promise<Uint8Array> => (await heifFixture(name)).file;

const served = async ({ link }: MediaItem): Promise<Buffer> => {
  const response = await fetch(link);
  expect(response.headers.get('content-type')).toStartWith('image/');
  return Buffer.from(await response.arrayBuffer());
};

const detailsOf = async (world: World, { id }: MediaItem): Promise<unknown> =>
  at((await world.call(`GET /media_contents/${id}?include=details`)).json, 'data', 'details');

const TUS = { 'tus-resumable': '1.0.0' };

async function sendByTus(world: World, name: string, bytes: Uint8Array): Promise<{ id: string; last: Reply }> {
  const digest = `sha-256=:${createHash('sha256').update(bytes).digest('base64')}:`;
  const metadata = { filename: name, digest, filetype: 'image/heic' };
  const pairs = Object.entries(metadata).map(([key, value]) => `${key} ${Buffer.from(value).toString('base64')}`);
  const begun = await world.call('POST /workspaces/{workspace}/uploads', {
    headers: { ...TUS, 'upload-length': String(bytes.length), 'upload-metadata': pairs.join() },
  });
  expect(begun.status).toBe(201);
  const id = String(begun.headers.get('location')).split('/').at(-1) ?? '';
  const headers = { ...TUS, 'upload-offset': '0', 'content-type': 'application/offset+octet-stream' };
  return { id, last: await world.call(`PATCH /uploads/${id}`, { headers, body: bytes }) };
}

for (const [index, storage] of uploadStorages.entries()) {
  describe(`HEIC and AVIF images (${storage.name})`, () => {
    let library: Library;
    let world: World;
    let origin: Origin;
    beforeAll(async () => {
      [library, origin] = await Promise.all([storage.open(loopback), Origin.open()]);
      world = library.world;
    });
    afterAll(async () => {
      origin?.close();
      await library?.close();
    });

    /** Expects the upright JPEG of the photo, with the hash of the stored file and the photo's metadata. */
    async function expectConverted(item: MediaItem, from: string): Promise<void> {
      const bytes = await served(item);
      expect(item).toMatchObject({ status: 'active', width: 120, height: 180, size: bytes.length });
      expect(item.name).toEndWith('.jpg');
      expect(bytes.subarray(0, 3).toString('hex')).toBe('ffd8ff');
      for (const kept of [PLACE_DATE, PLACE_VALUE, PLACE_TEXT, 'ICC_PROFILE']) expect(bytes.includes(kept)).toBe(true);
      expect(await detailsOf(world, item)).toMatchObject({
        ...{ converted_from: from, mime: 'image/jpeg', sha256: sha256(bytes) },
        image: { frames: 1, has_alpha: false },
      });
      expect(await library.world.keptFiles(item.id)).toHaveLength(1);
    }

    test('are converted when uploaded by multipart', async () => {
      const [photo, alpha, avif] = await Promise.all([
        bytesOf('photo.heic'),
        bytesOf('alpha.heic'),
        bytesOf('plain.avif'),
      ]);
      const hashes = [photo, alpha, avif].map((bytes) => field('sha256[]', sha256(bytes)));
      const reply = await world.upload([
        file('IMG 1.HEIC', photo),
        file('logo.heif', alpha),
        file('a.avif', avif),
        ...hashes,
      ]);
      expect(reply.status).toBe(201);
      const [first, second, third] = mediaItems(reply);
      if (!first || !second || !third) return expect.unreachable();
      expect([first.name, second.name, third.name]).toEqual(['IMG 1.jpg', 'logo.png', 'a.jpg']);
      await expectConverted(first, 'image/heic');
      expect(await detailsOf(world, second)).toMatchObject({
        ...{ converted_from: 'image/heic', mime: 'image/png' },
        image: { frames: 1, has_alpha: true },
      });
      expect(await detailsOf(world, third)).toMatchObject({ converted_from: 'image/avif', mime: 'image/jpeg' });
    });

    test('are converted when uploaded with a presigned URL', async () => {
      const photo = await bytesOf('photo.heic');
      const issued = await issue(world, photo, { name: 'beach.heic', mime: 'image/heic' });
      expect(issued.name).toBe('beach.jpg');
      await upload(issued, photo);
      const item = await confirmed(world, issued);
      expect([item.id, item.link, item.full_name]).toEqual([issued.id, issued.link, issued.fullName]);
      await expectConverted(item, 'image/heic');
      const transparent = await bytesOf('alpha.avif');
      const other = await issue(world, transparent, { name: 'logo.avif', mime: 'Image/AVIF' });
      await upload(other, transparent);
      // The service issued this link before it knew that the file would become a PNG.
      expect(await confirmed(world, other)).toMatchObject({ name: 'logo.png', link: other.link });
      expect((await fetch(other.link)).headers.get('content-type')).toBe('image/png');
    });

    test('are converted when uploaded with tus', async () => {
      const photo = await bytesOf('photo.heic');
      const { id, last } = await sendByTus(world, 'beach.HEIC', photo);
      expect([last.status, last.headers.get('postshelf-media-id')]).toEqual([204, id]);
      const item = await show(world, { id });
      expect(item.name).toBe('beach.jpg');
      await expectConverted(item, 'image/heic');
    });

    test('are refused if they are truncated, and leave no files behind', async () => {
      const cut = (await bytesOf('photo.heic')).subarray(0, -200);
      const [{ id, last }, issued] = await Promise.all([
        sendByTus(world, 'cut.heic', cut),
        issue(world, cut, { mime: 'image/heif' }),
      ]);
      expect(last.status).toBe(422);
      await upload(issued, cut);
      expectInvalid(await confirm(world, issued), { file: true });
      const fault =
        'cannot be decoded: it is incomplete or damaged, has too many pixels, or uses features of its format that are not supported here. Convert it to JPEG or PNG.';
      const sentence = `The file ${fault}`;
      expect(await show(world, issued)).toMatchObject({ status: 'failed', error_message: sentence });
      expect(await show(world, { id })).toMatchObject({ status: 'failed', error_message: sentence });
      const form = await world.upload([file('a.heic', cut)]);
      expect(form.json).toMatchObject({
        errors: { 'files.0': [`The files.0 ${fault}`] },
      });
      const page = origin.page('cut.heic', serve(cut));
      expectInvalid(await importUrl(world, page.url), { url: true });
      await world.run(['gc']);
      expect(await world.keptFiles(id)).toEqual([]);
    });

    // What follows doesn't depend on the storage.
    if (index > 0) return;

    test('are converted when imported from a URL, whatever their content type', async () => {
      const photo = await bytesOf('photo.heic');
      const page = origin.page('photo', serve(photo, { type: 'application/octet-stream' }));
      await expectConverted(stored(await importUrl(world, page.url, { sha256: sha256(photo) })), 'image/heic');
    });

    test('are found as duplicates when the same file is uploaded again', async () => {
      const bytes = await bytesOf('burst.heic');
      const [first] = await world.store(file('a.heic', bytes));
      const again = await world.upload([file('b.heic', bytes), field('on_duplicate', 'return')]);
      expect(mediaItems(again).map(({ id }) => id)).toEqual([String(first?.id)]);
    });

    test('lose their coordinates if the workspace strips locations', async () => {
      const id = String(world.ids.workspace);
      await world.command(['workspace', 'update', id, '--strip-location', 'on']);
      try {
        const item = await world.storeOne(file('a.heic', await bytesOf('photo.heic')));
        const bytes = await served(item);
        expect(bytes.includes(PLACE_DATE)).toBe(true);
        expect(bytes.includes(PLACE_VALUE) || bytes.includes(PLACE_TEXT)).toBe(false);
        expect(await detailsOf(world, item)).toMatchObject({ converted_from: 'image/heic', sha256: sha256(bytes) });
      } finally {
        await world.command(['workspace', 'update', id, '--strip-location', 'default']);
      }
    });
  });
}

describe('a server killed while it converts images', () => {
  test('can confirm presigned uploads after its restart', async () => {
    const library = await onFiles.open();
    try {
      const { world } = library;
      const photo = await bytesOf('photo.heic');
      const uploads = await Promise.all(
        Array.from({ length: 6 }, () => issue(world, photo, { name: 'beach.heic', mime: 'image/heic' })),
      );
      for (const issued of uploads) await upload(issued, photo);
      let answers = 0;
      const confirming = uploads.map((issued) =>
        confirm(world, issued).then(
          () => {
            answers += 1;
          },
          () => undefined,
        ),
      );
      await until('two are confirmed', async () => answers >= 2);
      await world.server.end('SIGKILL');
      await Promise.all(confirming);
      await world.restart();
      for (const issued of uploads) {
        expect(await confirmed(world, issued)).toMatchObject({
          status: 'active',
          name: 'beach.jpg',
          link: issued.link,
        });
      }
      await world.run(['gc']);
      for (const { id } of uploads) expect(await world.keptFiles(id)).toHaveLength(1);
    } finally {
      await library.close();
    }
  });
});

test('HEIC files are refused with CONVERT_IMAGES=false', async () => {
  const library = await onFiles.open({ CONVERT_IMAGES: 'false' });
  try {
    const { world } = library;
    const photo = await bytesOf('photo.heic');
    const types = 'must be a file of type: jpeg, png, gif, webp, mp4, mov.';
    const reply = await world.upload([file('a.heic', photo)]);
    expect(reply.json).toMatchObject({
      errors: {
        'files.0': [expect.stringContaining(`The files.0 field ${types} It is a HEIC image. Save it as JPEG.`)],
      },
    });
    const announced = { name: 'a.heic', size: photo.length, mime: 'image/heic' };
    const issuing = await presign(world, [announced]);
    expect(issuing.json).toMatchObject({ errors: { 'files.0.mime': ['The selected files.0.mime is invalid.'] } });
    const { id, last } = await sendByTus(world, 'a.heic', photo);
    expect(last.status).toBe(422);
    expect((await show(world, { id })).error_message).toContain('It is a HEIC image.');
  } finally {
    await library.close();
  }
});
