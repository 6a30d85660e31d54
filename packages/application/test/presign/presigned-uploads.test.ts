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
import { fakeFile } from '@postshelf/testing/fakes';
import { thrownBy } from '@postshelf/testing/outcomes';
import { confirmUpload, issueUploads, removeExpiredUploads } from '../../src/index.ts';
import { databases } from '../support/databases.ts';
import { bodyOf, destroyDeleted, publishedKeys } from '../support/objects.ts';
import { withUnusableName } from '../support/storages.ts';
import { inhabitedWorld, replacing, type World } from '../support/world.ts';

afterEach(databases.closeAll);

let world: World;
let workspace: Workspace;

const jpeg = fakeFile({ type: 'image/jpeg', width: 4, height: 3, time: null });

beforeEach(async () => {
  ({ workspace, ...world } = await inhabitedWorld());
});

/** Issues an upload of this size and type. */
async function issue(size: number, type: MediaType = 'image/jpeg') {
  const [issued] = await issueUploads(world, workspace, [
    { name: 'beach.jpeg', size, type, label: null, folderId: null, terms: NO_TERMS },
  ]);
  if (!issued) throw new Error('One upload was requested.');
  return issued.item;
}

/** Sends a file to the upload address, as a client does. */
async function send(id: Uuid, bytes: Uint8Array): Promise<void> {
  const presigned = await world.presign.find(id);
  if (!presigned) throw new Error('Nobody waits for this file.');
  expect(await world.presignStorage.receive({ ...presigned, size: bytes.length }, bodyOf(bytes))).toBe('kept');
}

const invalidFile = { problem: { code: 'invalid', errors: { file: [expect.any(String)] } } };

describe('issuing an upload', () => {
  const announced = { name: 'beach.jpg', size: 1, type: 'image/jpeg', terms: NO_TERMS } as const;

  test('is refused with an error for each file whose folder is missing, even if it was just deleted', async () => {
    const [stays, goes] = [await addFolder(world, workspace.id), await addFolder(world, workspace.id)];
    const files = [stays, goes].map(({ id }) => ({ ...announced, label: null, folderId: id }));
    const refused = { problem: { code: 'invalid', errors: { 'files.1.folder_id': [expect.any(String)] } } };
    const { presign } = world;
    const late: PresignRepository = {
      ...presign,
      async add(uploads) {
        await world.folders.delete(goes.id);
        return presign.add(uploads);
      },
    };
    expect(await thrownBy(issueUploads({ ...world, presign: late }, workspace, files))).toMatchObject(refused);
    expect(await thrownBy(issueUploads(world, workspace, files))).toMatchObject(refused);
    expect(await presign.expired(Number.MAX_SAFE_INTEGER, 10)).toEqual([]);
  });
});

describe('confirming an upload', () => {
  // Normally, the storage itself refuses a file whose length isn't the announced one.
  test('fails the item permanently if the file has another size than declared', async () => {
    const item = await issue(jpeg.length);
    await send(item.id, fakeFile({ type: 'image/jpeg', width: 4, height: 3, time: null }, 1));
    for (let time = 0; time < 2; time += 1) {
      expect(await thrownBy(confirmUpload(world, item.id))).toMatchObject(invalidFile);
    }
    expect((await world.media.find(item.id))?.item).toMatchObject({
      status: 'failed',
      errorMessage: expect.stringMatching(/bytes/),
    });
    expect(await publishedKeys(world)).toEqual([]);
  });

  test("fails the item permanently if the storage can't have its name", async () => {
    const item = await issue(jpeg.length);
    await send(item.id, jpeg);
    const presignStorage = replacing(world.presignStorage, {
      async take(id) {
        const upload = await world.presignStorage.take(id);
        return upload && withUnusableName(upload);
      },
    });
    expect(await thrownBy(confirmUpload({ ...world, presignStorage }, item.id))).toMatchObject(invalidFile);
    expect((await world.media.find(item.id))?.item).toMatchObject({
      status: 'failed',
      errorMessage: expect.stringContaining('the name “beach.jpg”'),
    });
    expect(await publishedKeys(world)).toEqual([]);
  });
});

test('removing expired uploads spares an item that is confirmed or leased meanwhile', async () => {
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
  expect(await removeExpiredUploads({ ...world, presign: { ...world.presign, expired } }, 0)).toMatchObject({
    items: 0,
  });
  expect((await world.media.find(confirmed.id))?.item.status).toBe('active');
  expect((await world.media.find(held.id))?.item.status).toBe('temporary');
  world.clock.advance(1000);
  expect(await removeExpiredUploads(world, 0)).toMatchObject({ items: 1 });
});

describe('an uploaded file', () => {
  const DAY = 24 * 60 * 60 * 1000;

  test('whose item was deleted is removed if it is older than the given time, and kept if none is given', async () => {
    const item = await issue(jpeg.length);
    await send(item.id, jpeg);
    await world.media.delete(item.id);
    world.clock.advance(DAY);
    expect(await removeExpiredUploads(world, null)).toEqual({ items: 0, files: 0, bytes: 0 });
    expect(await removeExpiredUploads(world, world.clock.now() - DAY)).toEqual({ items: 0, files: 0, bytes: 0 });
    expect(await world.presignStorage.take(item.id)).not.toBeNull();
    expect(await removeExpiredUploads(world, world.clock.now() - DAY + 1)).toEqual({
      items: 0,
      files: 1,
      bytes: jpeg.length,
    });
    expect(await removeExpiredUploads(world, world.clock.now())).toEqual({ items: 0, files: 0, bytes: 0 });
    await destroyDeleted(world);
    expect(await world.presignStorage.take(item.id)).toBeNull();
  });

  test('whose item is no longer temporary is removed immediately', async () => {
    const item = await issue(jpeg.length);
    const presigned = await world.presign.find(item.id);
    if (!presigned) throw new Error('Nobody waits for this file.');
    await send(item.id, jpeg);
    await confirmUpload(world, item.id);
    await destroyDeleted(world);
    await world.presignStorage.receive(presigned, bodyOf(jpeg));
    expect(await removeExpiredUploads(world, null)).toEqual({ items: 0, files: 1, bytes: jpeg.length });
    await destroyDeleted(world);
    expect(await world.presignStorage.take(item.id)).toBeNull();
  });
});
