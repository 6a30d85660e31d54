import { afterEach, beforeEach, expect, test } from 'bun:test';
import { createHash } from 'node:crypto';
import { ALIAS_LIFETIME, type MediaWithCover, Refusal, type UploadTerms, type Workspace } from '@postshelf/domain';
import { thrownBy } from '@postshelf/testing/outcomes';
import {
  collectGarbage,
  confirmUpload,
  deleteMedia,
  findByAnyId,
  issueUploads,
  type Resources,
  refreshUpload,
  UploadBatch,
} from '../../src/index.ts';
import { digest } from '../support/bodies.ts';
import { databases } from '../support/databases.ts';
import { JPEG, MP4 } from '../support/files.ts';
import { itemsOf } from '../support/imports.ts';
import { bodyOf, countStaged, destroyDeleted, publishedKeys } from '../support/objects.ts';
import { inhabitedWorld, replacing, type World } from '../support/world.ts';

afterEach(databases.closeAll);

const BUSY = new Refusal({ code: 'busy', message: 'Too many.', retryAfter: 1 });

let world: World;
let workspace: Workspace;

beforeEach(async () => {
  ({ workspace, ...world } = await inhabitedWorld());
});

async function upload(ports: Resources, ...files: readonly Uint8Array[]): Promise<readonly MediaWithCover[]> {
  const batch = new UploadBatch(ports, workspace);
  for (const bytes of files) await batch.add('file', bodyOf(bytes));
  try {
    return await batch.commit({ label: null, folderId: null, onDuplicate: 'return' });
  } finally {
    await batch.discard();
  }
}

/** Expects every item to have its object and its cover's object, and no other object in the storage. */
async function expectSound(): Promise<void> {
  const items = await itemsOf(world, workspace);
  const found = await Promise.all(items.map(({ id }) => world.media.find(id)));
  const objects = found.flatMap((media) => [media?.item.fullName ?? [], media?.cover?.fullName ?? []].flat());
  await destroyDeleted(world);
  expect(await publishedKeys(world)).toEqual(objects.sort());
  expect(countStaged(world)).toBe(0);
}

test('an uploaded file is stored if its existing duplicate is deleted during the upload', async () => {
  const [there] = await upload(world, JPEG);
  if (!there) throw new Error('One file was uploaded.');
  const covers = {
    async make(...given: Parameters<Resources['covers']['make']>) {
      await deleteMedia(world, there.item, () => undefined);
      return world.covers.make(...given);
    },
  };
  const stored = await upload({ ...world, covers }, JPEG, MP4, JPEG);
  expect(stored.map(({ item }) => item.name)).toEqual(['file.jpg', 'file.mp4', 'file.jpg']);
  expect(stored[0]).toEqual(stored[2]);
  expect(stored[0]?.item.id).not.toBe(there.item.id);
  expect(await itemsOf(world, workspace)).toHaveLength(2);
  await expectSound();
});

test('an upload into a folder that is deleted meanwhile stores nothing and keeps the existing duplicate', async () => {
  const [there] = await upload(world, JPEG);
  const uploads = replacing(world.uploads, { insertNew: async () => 'folder_missing' });
  expect(await thrownBy(upload({ ...world, uploads }, JPEG, MP4))).toMatchObject({
    problem: { code: 'invalid', errors: { folder_id: [expect.any(String)] } },
  });
  expect((await itemsOf(world, workspace)).map(({ id }) => id)).toEqual([`${there?.item.id}`] as never);
  await expectSound();
});

/**
 * Creates a presigned upload whose file was sent directly to the storage. Also returns how often the file was read for
 * its hash.
 */
async function presigned(bytes: Uint8Array, terms: UploadTerms) {
  const file = { name: 'beach.jpg', size: bytes.length, type: 'image/jpeg', label: null, folderId: null } as const;
  const [issued] = await issueUploads(world, workspace, [{ ...file, terms }]);
  const waiting = issued && (await world.presign.find(issued.item.id));
  if (!waiting) throw new Error('One upload was requested.');
  await world.presignStorage.receive(waiting, bodyOf(bytes));
  let reads = 0;
  const ports: Resources = {
    ...world,
    presignStorage: replacing(world.presignStorage, {
      async take(id) {
        const object = await world.presignStorage.take(id);
        return object && replacing(object, { sha256: null });
      },
    }),
    digest: (body) => {
      reads += 1;
      return digest(body);
    },
  };
  return { ports, item: issued.item, reads: () => reads };
}

const sha256 = createHash('sha256').update(JPEG).digest('hex');

test.each<[string, UploadTerms, number]>([
  ['is not computed without a declared hash if duplicates are kept', { sha256: null, onDuplicate: 'keep' }, 0],
  ['is computed to check a declared hash', { sha256, onDuplicate: 'keep' }, 1],
  ['is computed to find a duplicate to return', { sha256: null, onDuplicate: 'return' }, 1],
])('the hash of a presigned upload %s', async (_, terms, times) => {
  const { ports, item, reads } = await presigned(JPEG, terms);
  const { item: active } = await confirmUpload(ports, item.id);
  expect(active).toMatchObject({ id: item.id, status: 'active', content: { sha256: times === 0 ? null : sha256 } });
  expect(reads()).toBe(times);
});

test('confirming an upload is refused while no slot is free to read it, and the item stays temporary', async () => {
  const { ports, item, reads } = await presigned(JPEG, { sha256, onDuplicate: 'keep' });
  const full: Resources = { ...ports, shares: replacing(ports.shares, { take: () => Promise.reject(BUSY) }) };
  expect(await thrownBy(confirmUpload(full, item.id))).toBe(BUSY);
  expect(await refreshUpload(full, item)).toEqual({ item, cover: null });
  expect(reads()).toBe(0);
  expect((await refreshUpload(ports, item))?.item.status).toBe('active');
});

test('the id of a duplicate is an alias for a day, and garbage collection then deletes the alias', async () => {
  const [there] = await upload(world, JPEG);
  if (!there) throw new Error('One file was uploaded.');
  const { ports, item } = await presigned(JPEG, { sha256: null, onDuplicate: 'return' });
  for (let again = 0; again < 2; again += 1) expect(await confirmUpload(ports, item.id)).toEqual(there);
  world.clock.advance(ALIAS_LIFETIME - 1);
  await collectGarbage(world);
  expect(await findByAnyId(world, item.id)).toEqual(there);
  world.clock.advance(1);
  expect(await findByAnyId(world, item.id)).toBeNull();
  await collectGarbage(world);
  expect(await world.duplicates.prune(Number.MAX_SAFE_INTEGER, 1)).toBe(0);
  await expectSound();
});
