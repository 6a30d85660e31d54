import { afterAll, beforeAll, describe, expect, test } from 'bun:test';
import { makeBucket, type RealS3, realS3 } from '@postshelf/testing/servers/s3';
import { confirm, confirmed, issue, upload as sendWell, show } from '../presign/support/uploads.ts';
import { jpeg } from '../support/fixtures.ts';
import { settingsOf } from '../support/s3.ts';
import { type MediaItem, mediaItems } from '../support/shapes.ts';
import { within } from '../support/until.ts';
import { World } from '../support/world.ts';
import { descriptors } from './support/held.ts';
import { expectKept, makeFolder, upload } from './support/requests.ts';
import { expectNotReady, expectReady, expectUnavailable, STORAGE } from './support/unavailable.ts';

const s3 = await realS3('a storage that is killed or paused under a running service');
const gateway = s3?.gateway;

describe.skipIf(!s3 || !gateway)('when the storage server', () => {
  let world: World;
  let bucket: Awaited<ReturnType<typeof makeBucket>>;
  let stored: MediaItem;

  beforeAll(async () => {
    bucket = await makeBucket(s3 as RealS3);
    world = await World.open({ ...settingsOf(s3 as RealS3, bucket.bucket), S3_REDIRECT: 'false' });
    [stored] = mediaItems(await upload(world)) as [MediaItem];
  });
  afterAll(async () => {
    await world.close();
    await bucket.remove();
  });

  test('is killed, only requests that need it are refused', async () => {
    const held = descriptors(world.server.pid).length;
    const issued = await issue(world, jpeg());
    await sendWell(issued, jpeg());
    const removed = await world.storeOne({ name: 'files[]', filename: 'gone.jpg', value: jpeg() });
    await gateway?.kill();
    try {
      expectUnavailable(await upload(world), STORAGE);
      expectUnavailable(await confirm(world, issued), STORAGE);
      expect((await fetch(stored.link)).status).toBe(503);
      await expectNotReady(world);
      // The following requests need only the database: items, folders, upload URLs, and deletions, whose objects are
      // purged later.
      expect((await world.call(`GET /media_contents/${stored.id}`)).json).toEqual({ data: stored });
      expect((await makeFolder(world)).status).toBe(201);
      const waiting = await issue(world, jpeg());
      expect((await world.call(`DELETE /media_contents/${waiting.id}`)).status).toBe(204);
      expect((await world.call(`DELETE /media_contents/${removed.id}`)).status).toBe(204);
      expect((await fetch(removed.link)).status).toBe(404);
    } finally {
      await gateway?.start();
    }
    await expectReady(world);
    const item = await confirmed(world, issued);
    const kept = [stored, item, ...mediaItems(await upload(world))];
    await expectKept(world, kept);
    expect(await world.keptFiles()).toEqual([...kept, removed].map((each) => each.full_name).sort());
    expect(descriptors(world.server.pid).length).toBeLessThan(held + 10);
  });

  test('is paused for less than the timeout, requests wait for it, and nothing is lost', async () => {
    const issued = await issue(world, jpeg());
    await sendWell(issued, jpeg());
    const before = await world.keptFiles();
    await gateway?.pause();
    const [uploading, confirming, reading] = [upload(world), confirm(world, issued), fetch(stored.link)];
    // Other requests don't wait for the storage.
    expect((await within('a folder meanwhile', makeFolder(world), 5_000)).status).toBe(201);
    expect(await expectNotReady(world)).toEqual([
      expect.stringMatching(/^No answer from the bucket ".+" at http:.+ within 3000 ms\.$/),
    ]);
    await gateway?.resume();
    const [item] = mediaItems(await uploading) as [MediaItem];
    expect((await confirming).status).toBe(200);
    expect((await reading).status).toBe(200);
    await expectReady(world);
    await expectKept(world, [stored, item, await show(world, issued)]);
    const sent = `.uploads/${issued.id}`;
    const confirmedKey = (await show(world, issued)).full_name;
    expect(await world.keptFiles()).toEqual(
      [...before.filter((key) => key !== sent), item.full_name, confirmedKey].sort(),
    );
  });
});
