import { afterAll, beforeAll, describe, expect, test } from 'bun:test';
import { hasFfmpeg } from '../support/ffmpeg.ts';
import * as fixtures from '../support/fixtures.ts';
import { expectErrorShape, expectInvalid } from '../support/reply.ts';
import { oneMediaItem } from '../support/shapes.ts';
import { uploadStorages } from './support/every-storage.ts';
import type { Library } from './support/storages.ts';
import { confirm, confirmed, expectNotUploaded, expectServed, issue, send, show, upload } from './support/uploads.ts';

// packages/media/test/inspect tests what is read from a file's bytes, and packages/application/test/presign tests
// leases.
for (const storage of uploadStorages) {
  describe(`a presigned upload on ${storage.name}`, () => {
    let library: Library;
    beforeAll(async () => {
      library = await storage.open();
    });
    afterAll(() => library.close());

    const types: readonly [string, () => Uint8Array, string, string, object][] = [
      ['JPEG file', fixtures.jpeg, 'beach.jpg', 'image/jpeg', { width: 40, height: 30, time: null }],
      ['MP4 file', fixtures.mp4, 'film.mp4', 'video/mp4', { width: 64, height: 48, time: 2 }],
    ];
    for (const [name, make, fileName, mime, facts] of types) {
      test(`is active with the details of its bytes once it is confirmed (${name})`, async () => {
        const bytes = make();
        const issued = await issue(library.world, bytes, { name: fileName, mime });
        expect(await show(library.world, issued)).toMatchObject({ status: 'temporary', size: null, width: null });
        await upload(issued, bytes);
        const settled = await confirmed(library.world, issued);
        const hasCover = mime.startsWith('video/') && hasFfmpeg;
        const item = hasCover ? await library.world.covered(settled) : settled;
        expect(item).toMatchObject({ ...facts, id: issued.id, name: fileName, full_name: issued.fullName });
        expect(item.link).toBe(issued.link);
        await expectServed(item, bytes, storage.redirects);
        expect(await show(library.world, issued)).toEqual(item);
        if (!hasCover) expect(item.thumbnail).toBeNull();
        else {
          expect(item.thumbnail).toMatchObject({ status: 'active', time: null, thumbnail: null });
          const cover = await fetch(String(item.thumbnail?.link));
          expect((await cover.arrayBuffer()).byteLength).toBe(Number(item.thumbnail?.size));
        }
        expect(await library.world.keptFiles(issued.id)).toHaveLength(1);
      });
    }

    test('is confirmed, only once, when its item is read after its bytes have arrived', async () => {
      const issued = await issue(library.world, fixtures.jpeg());
      await upload(issued, fixtures.jpeg());
      const item = await show(library.world, issued);
      await expectServed(item, fixtures.jpeg(), storage.redirects);
      for (let again = 0; again < 2; again++) expect(await confirmed(library.world, issued)).toEqual(item);
      expect(await library.world.keptFiles(issued.id)).toHaveLength(1);
    });

    test('keeps its link if it is renamed before it is confirmed', async () => {
      const issued = await issue(library.world, fixtures.jpeg());
      const change = { json: { name: 'After the rain' } };
      const renamed = oneMediaItem(await library.world.call(`PATCH /media_contents/${issued.id}`, change));
      expect([renamed.link, renamed.full_name]).toEqual([issued.link, issued.fullName]);
      await upload(issued, fixtures.jpeg());
      const item = await confirmed(library.world, issued);
      expect(item).toMatchObject({ name: 'After the rain.jpg', full_name: issued.fullName, link: issued.link });
      await expectServed(item, fixtures.jpeg(), storage.redirects);
    });

    test('is confirmed once by ten concurrent requests, which get the same answer', async () => {
      const issued = await issue(library.world, fixtures.mp4(), { name: 'film.mp4', mime: 'video/mp4' });
      await upload(issued, fixtures.mp4());
      const replies = await Promise.all(Array.from({ length: 10 }, () => confirm(library.world, issued)));
      expect(replies.map(({ status }) => status)).toEqual(replies.map(() => 200));
      const item = await show(library.world, issued);
      expect(replies.map(oneMediaItem)).toEqual(replies.map(() => item));
      expect(await library.world.keptFiles(issued.id)).toHaveLength(1);
      await expectServed(item, fixtures.mp4(), storage.redirects);
    });

    test('can be neither confirmed nor fetched before its bytes arrive', async () => {
      const issued = await issue(library.world, fixtures.jpeg());
      await expectNotUploaded(library.world, issued);
      expect((await fetch(issued.link, { redirect: 'manual' })).status).toBe(404);
      await upload(issued, fixtures.jpeg());
      expect((await fetch(issued.link, { redirect: 'manual' })).status).toBe(404);
      await expectServed(await confirmed(library.world, issued), fixtures.jpeg(), storage.redirects);
    });

    test('consists of the last bytes sent before it is confirmed, and ignores later ones', async () => {
      const [first, second] = [fixtures.orientedJpeg(1), fixtures.orientedJpeg(6)];
      const issued = await issue(library.world, first);
      await upload(issued, first);
      await upload(issued, second);
      const item = await confirmed(library.world, issued);
      expect(item).toMatchObject({ width: 30, height: 40 });
      const late = await send(issued, first);
      expect(late.status).toBe(storage.receives ? 403 : 200);
      expect(await confirmed(library.world, issued)).toEqual(item);
      // The next garbage collection removes the late upload, and keeps the item's own object.
      await library.world.run(['gc']);
      expect(await library.world.keptFiles(issued.id)).toHaveLength(1);
      await expectServed(item, second, storage.redirects);
    });

    const sentence = /\w{3,}.*\.$/;
    const damaged = /^The file is damaged: its media data is incomplete\.$/;
    const wrong: readonly [string, () => Uint8Array, string, RegExp][] = [
      ['a PNG declared as a JPEG', fixtures.png, 'image/jpeg', sentence],
      ['half a JPEG', () => fixtures.jpeg().subarray(0, fixtures.jpeg().length / 2), 'image/jpeg', damaged],
    ];
    for (const [name, make, mime, why] of wrong) {
      test(`fails with 422 on \`file\` for ${name}, and its file is removed`, async () => {
        const issued = await issue(library.world, make(), { mime });
        await upload(issued, make());
        const replies = [await confirm(library.world, issued), await confirm(library.world, issued)];
        for (const reply of replies) expectInvalid(reply, { file: true });
        expect(replies[1]?.json).toEqual(replies[0]?.json);
        const item = await show(library.world, issued);
        expect(item).toMatchObject({
          status: 'failed',
          size: null,
          error_message: expect.stringMatching(why),
        });
        expect(await library.world.keptFiles(issued.id)).toEqual([]);
        expect((await fetch(item.link, { redirect: 'manual' })).status).toBe(404);
      });
    }

    test('with invalid bytes fails permanently when its item is read', async () => {
      const issued = await issue(library.world, Buffer.from('text'));
      await upload(issued, Buffer.from('text'));
      const item = await show(library.world, issued);
      expect(item.status).toBe('failed');
      // The status `failed` is final, so not even the right file changes it.
      await send(issued, fixtures.jpeg());
      expectInvalid(await confirm(library.world, issued), { file: true });
      expect(await show(library.world, issued)).toEqual(item);
    });

    test('keeps changes to its temporary item', async () => {
      const { world } = library;
      const folder = await world.folder(`Summer ${crypto.randomUUID().slice(0, 8)}`);
      const issued = await issue(world, fixtures.jpeg());
      const change = { name: 'Harbour', label: 'At dawn', folder_id: folder };
      expect((await world.call(`PATCH /media_contents/${issued.id}`, { json: change })).status).toBe(200);
      await upload(issued, fixtures.jpeg());
      const item = await confirmed(world, issued);
      expect(item).toMatchObject({ name: 'Harbour.jpg', label: 'At dawn', folder_id: folder });
      await expectServed(item, fixtures.jpeg(), storage.redirects);
    });

    test('can be deleted with its file before it is confirmed', async () => {
      const { world } = library;
      const issued = await issue(world, fixtures.jpeg());
      await upload(issued, fixtures.jpeg());
      expect((await world.call(`DELETE /media_contents/${issued.id}`)).status).toBe(204);
      const reply = await confirm(world, issued);
      expect(reply.status).toBe(404);
      expectErrorShape(reply);
      await send(issued, fixtures.jpeg());
      expect((await confirm(world, issued)).status).toBe(404);
      // The file will be destroyed once no copy of the database can contain the row of the item.
      expect(await world.database.column('select id from deletions where is_upload = 1')).toContain(issued.id);
    });
  });
}
