import { afterEach, beforeEach, describe, expect, test } from 'bun:test';
import {
  type MediaType,
  NO_TERMS,
  type PresignRepository,
  UNCONFIRMED_LIFETIME,
  UPLOAD_ADDRESS_LIFETIME,
  type Uuid,
  type Workspace,
} from '@postshelf/domain';
import { addFolder } from '@postshelf/testing/contracts/samples';
import { damagedFakeFile, fakeFile } from '@postshelf/testing/fakes';
import { confirmUpload, issueUploads, reapUploads, refreshUpload } from '../../src/index.ts';
import { databases } from '../support/databases.ts';
import { bodyOf, destroyDeleted, publishedKeys } from '../support/objects.ts';
import { inhabitedWorld, type World } from '../support/world.ts';

afterEach(databases.closeAll);

let world: World;
let workspace: Workspace;

const jpeg = fakeFile({ type: 'image/jpeg', width: 4, height: 3, time: null });
const png = fakeFile({ type: 'image/png', width: 4, height: 3, time: null });

beforeEach(async () => {
  ({ workspace, ...world } = await inhabitedWorld());
});

/** Issues an upload of so many bytes of a type. */
async function issue(size: number, type: MediaType = 'image/jpeg') {
  const [issued] = await issueUploads(world, workspace, [
    { name: 'beach.jpeg', size, type, label: null, folderId: null, terms: NO_TERMS },
  ]);
  if (!issued) throw new Error('One upload was requested.');
  return issued.item;
}

/** Sends a file to the address, as a client does. */
async function send(id: Uuid, bytes: Uint8Array): Promise<void> {
  const presigned = await world.presign.find(id);
  if (!presigned) throw new Error('Nobody waits for this file.');
  expect(await world.presignStorage.receive({ ...presigned, size: bytes.length }, bodyOf(bytes))).toBe('kept');
}

const invalidFile = { problem: { code: 'invalid', errors: { file: [expect.any(String)] } } };

describe('issuing an upload', () => {
  const announced = { name: 'beach.jpg', size: 1, type: 'image/jpeg', terms: NO_TERMS } as const;

  test('keeps the label and the folder of each file, also when it becomes active', async () => {
    const folder = await addFolder(world, workspace.id);
    const [first, second] = await issueUploads(world, workspace, [
      { ...announced, size: jpeg.length, label: 'Summer', folderId: folder.id },
      { ...announced, label: null, folderId: null },
    ]);
    expect(first?.item).toMatchObject({ label: 'Summer', folderId: folder.id });
    expect(second?.item).toMatchObject({ label: null, folderId: null });
    if (!first) throw new Error('Two uploads were requested.');
    await send(first.item.id, jpeg);
    const { item } = await confirmUpload(world, first.item.id);
    expect(item).toMatchObject({ status: 'active', label: 'Summer', folderId: folder.id });
  });

  test('is refused on each file whose folder is missing, even if it is deleted at the last moment', async () => {
    const [stays, goes] = [await addFolder(world, workspace.id), await addFolder(world, workspace.id)];
    const files = [stays, goes].map(({ id }) => ({ ...announced, label: null, folderId: id }));
    const refused = { problem: { code: 'invalid', errors: { 'files.1.folder_id': [expect.any(String)] } } };
    const { presign } = world;
    const late: PresignRepository = {
      ...presign,
      async add(uploads) {
        await world.folders.remove(goes.id);
        return presign.add(uploads);
      },
    };
    await expect(issueUploads({ ...world, presign: late }, workspace, files)).rejects.toMatchObject(refused);
    await expect(issueUploads(world, workspace, files)).rejects.toMatchObject(refused);
    expect(await presign.expired(Number.MAX_SAFE_INTEGER, 10)).toEqual([]);
  });
});

describe('confirming an upload', () => {
  test('makes the item active, however often it is repeated, and removes the upload', async () => {
    const item = await issue(jpeg.length);
    await send(item.id, jpeg);
    const confirmed = await confirmUpload(world, item.id);
    expect(confirmed.item).toMatchObject({ status: 'active', name: 'beach.jpg', fullName: item.fullName });
    expect(await confirmUpload(world, item.id)).toEqual(confirmed);
    expect(await publishedKeys(world)).toEqual([item.fullName]);
    // A copy of the database may not destroy it.
    expect(await world.presignStorage.take(item.id)).not.toBeNull();
    await destroyDeleted(world);
    expect(await world.presignStorage.take(item.id)).toBeNull();
  });

  test('without a file is refused, and the item stays temporary', async () => {
    const item = await issue(jpeg.length);
    await expect(confirmUpload(world, item.id)).rejects.toMatchObject(invalidFile);
    expect((await world.media.find(item.id))?.item.status).toBe('temporary');
  });

  test.each([
    ['of another length', () => fakeFile({ type: 'image/jpeg', width: 4, height: 3, time: null }, 1), /bytes/],
    ['of another type', () => png, /not a valid image/],
    ['of zeros', () => new Uint8Array(jpeg.length), /not a valid image/],
    [
      'that is incomplete',
      () => damagedFakeFile({ type: 'image/jpeg', width: 40, height: 3, time: null }),
      /^The file is damaged: its media data is incomplete\.$/,
    ],
  ])('with a file %s fails the item permanently', async (_what, bytes, why) => {
    const item = await issue(jpeg.length);
    await send(item.id, bytes());
    for (let time = 0; time < 2; time += 1) {
      await expect(confirmUpload(world, item.id)).rejects.toMatchObject(invalidFile);
    }
    expect((await world.media.find(item.id))?.item).toMatchObject({
      status: 'failed',
      errorMessage: expect.stringMatching(why),
    });
    expect(await publishedKeys(world)).toEqual([]);
  });

  test('twice concurrently has the same effect as once', async () => {
    const item = await issue(jpeg.length);
    await send(item.id, jpeg);
    const [one, two] = await Promise.all([confirmUpload(world, item.id), confirmUpload(world, item.id)]);
    expect(one).toEqual(two);
    expect(await publishedKeys(world)).toEqual([item.fullName]);
  });

  test('of a deleted item returns not_found', async () => {
    const item = await issue(jpeg.length);
    await world.media.remove(item.id);
    await expect(confirmUpload(world, item.id)).rejects.toMatchObject({ problem: { code: 'not_found' } });
  });
});

test('reading an item whose file has arrived makes it active', async () => {
  const item = await issue(jpeg.length);
  expect((await refreshUpload(world, item))?.item.status).toBe('temporary');
  await send(item.id, jpeg);
  expect((await refreshUpload(world, item))?.item.status).toBe('active');
});

test('an upload that was never confirmed is removed with its file a day after its address expired', async () => {
  const item = await issue(jpeg.length);
  await send(item.id, jpeg);
  world.clock.advance(UPLOAD_ADDRESS_LIFETIME * 1000 + UNCONFIRMED_LIFETIME - 1000);
  expect(await reapUploads(world, 0)).toEqual({ items: 0, files: 0, bytes: 0 });
  world.clock.advance(2000);
  expect(await reapUploads(world, 0)).toEqual({ items: 1, files: 0, bytes: jpeg.length });
  expect(await world.media.find(item.id)).toBeNull();
  await destroyDeleted(world);
  expect(await world.presignStorage.take(item.id)).toBeNull();
});

test('an item that is confirmed or leased while expired ones are removed stays', async () => {
  const [confirmed, held] = [await issue(jpeg.length), await issue(jpeg.length)];
  world.clock.advance(UPLOAD_ADDRESS_LIFETIME * 1000 + UNCONFIRMED_LIFETIME + 1000);
  const now = world.clock.now();
  expect(await world.presign.claim(held.id, { owner: 'somebody', until: now + 1000 }, now)).toBe(true);
  const expired: typeof world.presign.expired = async (before, limit) => {
    const ids = await world.presign.expired(before, limit);
    if (!ids.includes(confirmed.id)) return ids;
    await send(confirmed.id, jpeg);
    await confirmUpload(world, confirmed.id);
    return ids;
  };
  expect(await reapUploads({ ...world, presign: { ...world.presign, expired } }, 0)).toMatchObject({ items: 0 });
  expect((await world.media.find(confirmed.id))?.item.status).toBe('active');
  expect((await world.media.find(held.id))?.item.status).toBe('temporary');
  world.clock.advance(1000);
  expect(await reapUploads(world, 0)).toMatchObject({ items: 1 });
});

describe('a file that was uploaded for an id', () => {
  const DAY = 24 * 60 * 60 * 1000;

  test('without a row is kept until the given time, or without a limit if none is given', async () => {
    const item = await issue(jpeg.length);
    await send(item.id, jpeg);
    await world.media.remove(item.id);
    world.clock.advance(DAY);
    expect(await reapUploads(world, null)).toEqual({ items: 0, files: 0, bytes: 0 });
    expect(await reapUploads(world, world.clock.now() - DAY)).toEqual({ items: 0, files: 0, bytes: 0 });
    expect(await world.presignStorage.take(item.id)).not.toBeNull();
    expect(await reapUploads(world, world.clock.now() - DAY + 1)).toEqual({ items: 0, files: 1, bytes: jpeg.length });
    expect(await reapUploads(world, world.clock.now())).toEqual({ items: 0, files: 0, bytes: 0 });
    await destroyDeleted(world);
    expect(await world.presignStorage.take(item.id)).toBeNull();
  });

  test("whose item isn't temporary any more is removed immediately", async () => {
    const item = await issue(jpeg.length);
    const presigned = await world.presign.find(item.id);
    if (!presigned) throw new Error('Nobody waits for this file.');
    await send(item.id, jpeg);
    await confirmUpload(world, item.id);
    await destroyDeleted(world);
    await world.presignStorage.receive(presigned, bodyOf(jpeg));
    expect(await reapUploads(world, null)).toEqual({ items: 0, files: 1, bytes: jpeg.length });
    await destroyDeleted(world);
    expect(await world.presignStorage.take(item.id)).toBeNull();
  });
});
