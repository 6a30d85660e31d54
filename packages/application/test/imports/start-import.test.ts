import { afterEach, beforeEach, describe, expect, test } from 'bun:test';
import {
  IMPORT_TOO_LARGE,
  IMPORT_WRONG_TYPE,
  importDefectMessage,
  MAX_AWAITED_IMAGE_BYTES,
  MAX_IMPORT_BYTES,
} from '@postshelf/domain';
import { addFolder } from '@postshelf/testing/contracts/samples';
import { databases } from '../support/databases.ts';
import { BROKEN_JPEG, DAMAGED_JPEG, JPEG, MP4, TEXT } from '../support/files.ts';
import {
  claimAs,
  countImports,
  expectNothingLeft,
  expectNothingOpen,
  fileOf,
  heldFile,
  itemNow,
  RETRY_DELAYS,
  URL,
} from '../support/imports.ts';
import { bytesUnder, publishedKeys } from '../support/objects.ts';
import { invalidOn, refusalOf } from '../support/refusals.ts';
import { type StartingWorld, startingWorld } from '../support/starting.ts';
import { longBody } from '../support/storages.ts';

afterEach(databases.closeAll);

const WRONG_TYPE = invalidOn('url', IMPORT_WRONG_TYPE);

let world: StartingWorld;

beforeEach(async () => {
  world = await startingWorld();
});

describe('an image', () => {
  test('is active when the request returns', async () => {
    const folder = await addFolder(world, world.workspace.id);
    world.remoteFiles.serve(URL, fileOf(JPEG, new Uint8Array(100)));
    const { item, cover } = await world.start({ label: 'Summer', folderId: folder.id });
    expect(item).toMatchObject({
      status: 'active',
      name: 'beach day.jpg',
      label: 'Summer',
      folderId: folder.id,
      fullName: `${world.workspace.id}/${item.id}/beach day.jpg`,
      content: { type: 'image/jpeg', size: JPEG.length + 100, width: 40, height: 30, time: null },
    });
    expect(cover).toBeNull();
    expect(await itemNow(world, item.id)).toEqual(item);
    expect(await publishedKeys(world)).toEqual([item.fullName]);
    expect(await countImports(world)).toBe(0);
    expectNothingOpen(world);
  });

  test('has the requested name', async () => {
    world.remoteFiles.serve(URL, fileOf(JPEG));
    expect((await world.start({ name: 'At sea.png' })).item.name).toBe('At sea.jpg');
  });

  test('of exactly 50 MB is awaited, with or without a declared size', async () => {
    for (const announcedSize of [MAX_AWAITED_IMAGE_BYTES, null]) {
      const chunks = longBody(JPEG, MAX_AWAITED_IMAGE_BYTES);
      world.remoteFiles.serve(URL, { chunks, announcedSize, ending: 'whole' });
      expect((await world.start()).item.status).toBe('active');
    }
  });

  test('above 50 MB is returned as processing, and continues on the same connection', async () => {
    for (const announcedSize of [MAX_AWAITED_IMAGE_BYTES + 1, null]) {
      const { start, ...world } = await startingWorld();
      const chunks = longBody(JPEG, MAX_AWAITED_IMAGE_BYTES + 1);
      world.remoteFiles.serve(URL, { chunks, announcedSize, ending: 'whole' });
      const { item } = await start();
      expect(item.status).toBe('processing');
      expect(await world.worker.heard(1)).toEqual(['active']);
      expect(await itemNow(world, item.id)).toMatchObject({ content: { size: MAX_AWAITED_IMAGE_BYTES + 1 } });
      expect(world.remoteFiles.requested).toEqual([URL]);
      expect(await publishedKeys(world)).toEqual([item.fullName]);
    }
  });

  test('that takes longer than the imageTimeout is returned as processing, and continues', async () => {
    const { file, release } = heldFile(JPEG, new Uint8Array(5));
    world.remoteFiles.serve(URL, file);
    const { item } = await world.start({}, { imageTimeout: 0 });
    expect(item.status).toBe('processing');
    release();
    expect(await world.worker.heard(1)).toEqual(['active']);
    expect(await itemNow(world, item.id)).toMatchObject({ status: 'active', content: { size: JPEG.length + 5 } });
    expect(world.remoteFiles.requested).toEqual([URL]);
  });

  test('that can’t be parsed is refused with an error on url', async () => {
    world.remoteFiles.serve(URL, fileOf(BROKEN_JPEG));
    expect(await refusalOf(world.start())).toEqual(WRONG_TYPE);
    await expectNothingLeft(world, world.workspace);
  });

  test('that is truncated is refused with an error on url', async () => {
    world.remoteFiles.serve(URL, fileOf(DAMAGED_JPEG));
    expect(await refusalOf(world.start())).toEqual(invalidOn('url', importDefectMessage('damaged')));
    await expectNothingLeft(world, world.workspace);
  });
});

describe('a video', () => {
  test('is returned as processing, and becomes active with a cover over the same connection', async () => {
    const { file, release } = heldFile(MP4, new Uint8Array(50));
    world.remoteFiles.serve(URL, file);
    const { item, cover } = await world.start({ label: 'Summer' });
    expect(item).toMatchObject({ status: 'processing', name: 'beach day.mp4', label: 'Summer' });
    expect(cover).toBeNull();
    expect(await itemNow(world, item.id)).toEqual(item);
    expect(await publishedKeys(world)).toEqual([]);

    release();
    expect(await world.worker.heard(1)).toEqual(['active']);
    const found = await world.media.find(item.id);
    expect(found?.item).toMatchObject({ status: 'active', fullName: item.fullName, content: { time: 75 } });
    expect(found?.cover).toMatchObject({ coverOf: item.id });
    expect(await bytesUnder(world, item.fullName)).toHaveLength(MP4.length + 50);
    expect(world.remoteFiles.requested).toEqual([URL]);
    expect(await countImports(world)).toBe(0);
    expectNothingOpen(world);
  });

  test('of exactly 2 GB is accepted', async () => {
    const chunks = longBody(MP4, MAX_IMPORT_BYTES);
    world.remoteFiles.serve(URL, { chunks, announcedSize: MAX_IMPORT_BYTES, ending: 'whole' });
    const { item } = await world.start();
    expect(await world.worker.heard(1)).toEqual(['active']);
    expect(await itemNow(world, item.id)).toMatchObject({ content: { size: MAX_IMPORT_BYTES } });
  });

  test('fails when more than 2 GB arrive', async () => {
    const chunks = longBody(MP4, MAX_IMPORT_BYTES + 1);
    world.remoteFiles.serve(URL, { chunks, announcedSize: null, ending: 'whole' });
    const { item } = await world.start();
    expect(await world.worker.heard(1)).toEqual(['failed']);
    expect(await itemNow(world, item.id)).toMatchObject({ status: 'failed', errorMessage: IMPORT_TOO_LARGE });
    expect(await publishedKeys(world)).toEqual([]);
    expect(world.remoteFiles.openFiles()).toBe(0);
  });
});

describe('a file of any kind', () => {
  test('with a declared size above 2 GB is refused as too large', async () => {
    for (const head of [JPEG, MP4, TEXT]) {
      world.remoteFiles.serve(URL, { ...fileOf(head), announcedSize: MAX_IMPORT_BYTES + 1 });
      expect(await refusalOf(world.start())).toEqual({ code: 'too_large', message: IMPORT_TOO_LARGE });
    }
    await expectNothingLeft(world, world.workspace);
  });

  test.each([
    ['a text', TEXT],
    ['nothing', new Uint8Array()],
    ['three bytes', JPEG.subarray(0, 3)],
  ])('with an unsupported type is refused with an error on url: %s', async (_, bytes) => {
    world.remoteFiles.serve(URL, fileOf(bytes));
    expect(await refusalOf(world.start())).toEqual(WRONG_TYPE);
    await expectNothingLeft(world, world.workspace);
  });
});

describe('a URL that is not allowed', () => {
  test('is refused with the message of the check as an error on url', async () => {
    const message = 'The host router.example is not publicly reachable.';
    world.remoteFiles.serve(URL, { kind: 'refused', message });
    expect(await refusalOf(world.start())).toEqual(invalidOn('url', message));
    await expectNothingLeft(world, world.workspace);
  });
});

describe('a file that the remote server does not deliver', () => {
  test.each([
    ['no such host', []],
    ['no answer', ['silent' as const]],
    ['an error of the server', [{ status: 503 }]],
    ['nothing, and a broken connection', [{ ...fileOf(), announcedSize: null, ending: 'cut off' as const }]],
    ['an image truncated in its first bytes', [{ ...fileOf(JPEG.subarray(0, 5)), ending: 'cut off' as const }]],
    ['an image truncated after its first bytes', [{ ...fileOf(JPEG), ending: 'cut off' as const }]],
    ['an image that stalls', [{ ...fileOf(JPEG), ending: 'stalled' as const }]],
  ])('is returned as processing, and due again after the retry delay: %s', async (_, answers) => {
    world.remoteFiles.serve(URL, ...answers);
    const { item } = await world.start();
    expect(item).toMatchObject({ status: 'processing', name: 'beach day' });
    expect(await itemNow(world, item.id)).toEqual(item);
    expectNothingOpen(world);
    world.clock.advance((RETRY_DELAYS[0] ?? 0) - 1);
    expect(await claimAs(world, 'test')).toBeNull();
    world.clock.advance(1);
    expect(await claimAs(world, 'test')).toMatchObject({ subjectId: item.id, payload: { url: URL }, attempts: 1 });
  });

  test('is returned as processing, and fails without a retry after status 404', async () => {
    world.remoteFiles.serve(URL, { status: 404 });
    const { item } = await world.start();
    expect(item.status).toBe('processing');
    expect(await itemNow(world, item.id)).toMatchObject({
      status: 'failed',
      errorMessage: 'The server at files.example answered 404.',
    });
    expect(await countImports(world)).toBe(0);
  });

  test('fails immediately if no retries are configured', async () => {
    const { item } = await world.start({}, { retryDelays: [] });
    expect(await itemNow(world, item.id)).toMatchObject({
      status: 'failed',
      errorMessage: 'The host files.example was not found.',
    });
  });

  test('has the requested name, without an extension', async () => {
    expect((await world.start({ name: 'At sea.mp4' })).item.name).toBe('At sea');
  });
});
