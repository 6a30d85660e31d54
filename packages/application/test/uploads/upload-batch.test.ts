import { afterEach, beforeEach, describe, expect, test } from 'bun:test';
import { createHash } from 'node:crypto';
import {
  MAX_MULTIPART_FILE_BYTES,
  type MediaWithCover,
  MULTIPART_FILE_TOO_LARGE,
  pageRequest,
  type Workspace,
} from '@postshelf/domain';
import { addFolder } from '@postshelf/testing/contracts/samples';
import { listMedia, openMedia, UploadBatch } from '../../src/index.ts';
import { watchedBody } from '../support/bodies.ts';
import { databases } from '../support/databases.ts';
import { BROKEN_JPEG, DAMAGED_JPEG, JPEG, MP4, PNG, TEXT } from '../support/files.ts';
import { bodyOf, bytesUnder, countStaged, publishedKeys } from '../support/objects.ts';
import { refusalOf, thrownBy } from '../support/refusals.ts';
import { changingStaged, keepingHeads, longBody } from '../support/storages.ts';
import { inhabitedWorld, replacing, type World } from '../support/world.ts';

afterEach(databases.closeAll);

const TOO_LARGE = { code: 'too_large', message: MULTIPART_FILE_TOO_LARGE } as const;
const ROOT = { label: null, folderId: null };

let world: World;
let workspace: Workspace;

beforeEach(async () => {
  ({ workspace, ...world } = await inhabitedWorld());
});

async function upload(files: Readonly<Record<string, Uint8Array>>): Promise<readonly MediaWithCover[]> {
  const batch = new UploadBatch(world, workspace);
  for (const [name, bytes] of Object.entries(files)) await batch.add(name, bodyOf(bytes));
  const stored = await batch.commit(ROOT);
  await batch.discard();
  return stored;
}

describe('a batch of valid files', () => {
  test('becomes active items in the order of the files, each with the details of its bytes', async () => {
    const folder = await addFolder(world, workspace.id);
    const batch = new UploadBatch(world, workspace);
    await batch.add('beach.jpg', bodyOf(JPEG));
    await batch.add('clip', bodyOf(MP4));
    await batch.add('icon.gif', bodyOf(PNG));
    const stored = await batch.commit({ label: 'Summer', folderId: folder.id });
    expect(stored.map(({ item }) => item.name)).toEqual(['beach.jpg', 'clip.mp4', 'icon.png']);
    const [beach] = stored;
    expect(beach).toEqual({
      item: {
        id: beach?.item.id ?? folder.id,
        workspaceId: workspace.id,
        folderId: folder.id,
        label: 'Summer',
        altText: null,
        focus: null,
        fittedFrom: null,
        createdBy: null,
        version: 1,
        name: 'beach.jpg',
        fullName: `${workspace.id}/${beach?.item.id}/beach.jpg`,
        createdAt: world.clock.now(),
        updatedAt: world.clock.now(),
        status: 'active',
        coverOf: null,
        content: {
          type: 'image/jpeg',
          size: JPEG.length,
          sha256: createHash('sha256').update(JPEG).digest('hex'),
          width: 40,
          height: 30,
          time: null,
          details: null,
        },
      },
      cover: null,
    });
  });

  test('can be found, opened and listed as returned', async () => {
    const stored = await upload({ 'beach.jpg': JPEG, 'clip.mp4': MP4 });
    for (const media of stored) {
      expect(await world.media.find(media.item.id)).toEqual(media);
      expect((await openMedia(world, media.item.fullName))?.item).toMatchObject({ id: media.item.id });
    }
    expect(await bytesUnder(world, stored[0]?.item.fullName ?? '')).toEqual(JPEG);
    expect((await listMedia(world, workspace, {}, pageRequest())).total).toBe(2);
  });

  test('gives a video a cover, which is a separate item at the root without a label', async () => {
    const folder = await addFolder(world, workspace.id);
    const batch = new UploadBatch(world, workspace);
    await batch.add('clip.mov', bodyOf(MP4));
    const [stored] = await batch.commit({ label: 'Summer', folderId: folder.id });
    const cover = stored?.cover;
    expect(cover).toMatchObject({
      coverOf: stored?.item.id,
      workspaceId: workspace.id,
      folderId: null,
      label: null,
      name: 'clip.jpg',
      content: { type: 'image/jpeg', width: 1920, height: 1080, time: null },
    });
    expect((await bytesUnder(world, cover?.fullName ?? ''))?.length).toBe(cover?.content.size ?? -1);
  });

  test('accepts a video without a cover if none can be made', async () => {
    world = { ...world, covers: { make: async () => null } };
    expect(await upload({ 'clip.mp4': MP4 })).toMatchObject([{ item: { status: 'active' }, cover: null }]);
  });

  test('publishes every object before it inserts any row', async () => {
    const events: string[] = [];
    const storage = changingStaged(world.storage, (object) =>
      replacing(object, {
        publish: async (key) => {
          await object.publish(key);
          events.push(`published ${key.split('/')[2]}`);
        },
      }),
    );
    const { insert } = world.media;
    const media = replacing(world.media, {
      insert(items) {
        events.push(`rows of ${items.map(({ name }) => name).join(', ')}`);
        return insert(items);
      },
    });
    world = { ...world, storage, media };
    await upload({ 'clip.mp4': MP4, 'beach.jpg': JPEG });
    expect(events).toEqual([
      'published clip.mp4',
      'published clip.jpg',
      'published beach.jpg',
      'rows of clip.mp4, clip.jpg, beach.jpg',
    ]);
  });

  test('is invisible before it is committed', async () => {
    const batch = new UploadBatch(world, workspace);
    await batch.add('beach.jpg', bodyOf(JPEG));
    expect(await publishedKeys(world)).toEqual([]);
    expect((await listMedia(world, workspace, {}, pageRequest())).total).toBe(0);
    await batch.discard();
    await batch.discard();
    expect(countStaged(world)).toBe(0);
  });
});

describe('a file of a batch', () => {
  test.each([
    ['has another type', TEXT, 'field must be a file of type: jpeg, png, gif, webp, mp4, mov.'],
    [
      'cannot be parsed as the type of its first bytes',
      BROKEN_JPEG,
      'field must be a file of type: jpeg, png, gif, webp, mp4, mov.',
    ],
    ['is truncated', DAMAGED_JPEG, 'is damaged: its media data is incomplete.'],
    ['is empty', new Uint8Array(), 'field must not be empty.'],
  ])('is reported under its number if it %s', async (_, bytes, why) => {
    const batch = new UploadBatch(world, workspace);
    await batch.add('good.jpg', bodyOf(JPEG));
    const body = watchedBody([bytes.subarray(0, 5), bytes.subarray(5), new Uint8Array(0)]);
    await batch.add('bad.jpg', body);
    await batch.add('good.png', bodyOf(PNG));
    expect(batch.errors).toEqual({ 'files.1': [`The files.1 ${why}`] });
    expect(batch.count).toBe(3);
    expect(body.isOver).toBe(true);
    await batch.discard();
    expect(countStaged(world)).toBe(0);
  });

  test('is not staged if its first bytes belong to no media type', async () => {
    const storage = replacing(world.storage, { stage: () => Promise.reject(new Error('staged')) });
    const batch = new UploadBatch({ ...world, storage }, workspace);
    await batch.add('notes.txt', bodyOf(TEXT));
    expect(batch.errors).toHaveProperty(['files.0']);
  });

  test('is not read back if it was inspected while it was received', async () => {
    const facts = { type: 'image/jpeg', width: 8, height: 6, time: null, details: null } as const;
    const inspector = replacing(world.inspector, {
      inspect: () => Promise.reject(new Error('It was read again.')),
      inspectWhile: async (_, body, read) => ({ result: await read(body), facts }),
    });
    const batch = new UploadBatch({ ...world, inspector }, workspace);
    await batch.add('beach.jpg', bodyOf(JPEG));
    const [stored] = await batch.commit({ label: null, folderId: null });
    expect(stored?.item).toMatchObject({ status: 'active', content: { ...facts, size: JPEG.length } });
    await batch.discard();
  });

  test('leaves nothing if its inspection fails', async () => {
    const broken = new Error('the disk failed');
    const inspector = replacing(world.inspector, { inspect: () => Promise.reject(broken) });
    const batch = new UploadBatch({ ...world, inspector }, workspace);
    expect(await thrownBy(batch.add('beach.jpg', bodyOf(JPEG)))).toBe(broken);
    expect(countStaged(world)).toBe(0);
  });

  test('is rejected with the error of its body, within its first bytes or later, and leaves nothing', async () => {
    const hungUp = new Error('hung up');
    for (const chunks of [[], [JPEG.subarray(0, 3)], [JPEG, new Uint8Array(100)]]) {
      const batch = new UploadBatch(world, workspace);
      await batch.add('good.jpg', bodyOf(JPEG));
      expect(await thrownBy(batch.add('cut.jpg', watchedBody(chunks, hungUp)))).toBe(hungUp);
      await batch.discard();
      expect(countStaged(world)).toBe(0);
      expect(await publishedKeys(world)).toEqual([]);
    }
  });

  test('is rejected with the error of the storage, and its body is closed', async () => {
    const full = new Error('no space left');
    const storage = replacing(world.storage, {
      async stage(body) {
        for await (const _ of body) throw full;
        throw new Error('an empty body');
      },
    });
    const body = watchedBody([JPEG, new Uint8Array(10)]);
    expect(await thrownBy(new UploadBatch({ ...world, storage }, workspace).add('beach.jpg', body))).toBe(full);
    expect(body.isOver).toBe(true);
  });
});

describe('a file that is skipped', () => {
  test('is read to its end, not stored, and counted without shifting the numbers of other files', async () => {
    const batch = new UploadBatch(world, workspace);
    const body = watchedBody([JPEG, new Uint8Array(10)]);
    await batch.skip(body);
    expect({ count: batch.count, isEmpty: batch.isEmpty }).toEqual({ count: 1, isEmpty: true });
    expect(body.isOver).toBe(true);
    expect(countStaged(world)).toBe(0);
    await batch.add('notes.txt', bodyOf(TEXT));
    expect({ count: batch.count, isEmpty: batch.isEmpty }).toEqual({ count: 2, isEmpty: false });
    expect(Object.keys(batch.errors)).toEqual(['files.0']);
  });
});

describe('the limit of 200 MB', () => {
  const sendingTo = (): UploadBatch => new UploadBatch({ ...world, storage: keepingHeads(world.storage) }, workspace);

  test('accepts a file of exactly that size', async () => {
    const batch = sendingTo();
    await batch.add('big.mp4', longBody(MP4, MAX_MULTIPART_FILE_BYTES));
    const [stored] = await batch.commit(ROOT);
    expect(stored?.item).toMatchObject({ status: 'active', content: { size: MAX_MULTIPART_FILE_BYTES } });
  });

  test('refuses a file with one byte more, mentions presigned uploads, and stores no file of the batch', async () => {
    const batch = sendingTo();
    await batch.add('good.jpg', bodyOf(JPEG));
    const refused = batch.add('big.mp4', longBody(MP4, MAX_MULTIPART_FILE_BYTES + 1));
    expect(await refusalOf(refused)).toEqual(TOO_LARGE);
    await batch.discard();
    expect(countStaged(world)).toBe(0);
    expect(await publishedKeys(world)).toEqual([]);
  });

  test('also applies to a file of a wrong type, whose bytes are discarded', async () => {
    const exact = sendingTo();
    await exact.add('big.txt', longBody(TEXT, MAX_MULTIPART_FILE_BYTES));
    expect(exact.errors).toHaveProperty(['files.0']);
    const over = longBody(TEXT, MAX_MULTIPART_FILE_BYTES + 1);
    expect(await refusalOf(sendingTo().add('big.txt', over))).toEqual(TOO_LARGE);
  });

  test('also applies to a file that is skipped', async () => {
    await sendingTo().skip(longBody(MP4, MAX_MULTIPART_FILE_BYTES));
    const over = longBody(MP4, MAX_MULTIPART_FILE_BYTES + 1);
    expect(await refusalOf(sendingTo().skip(over))).toEqual(TOO_LARGE);
  });

  test('stops reading at the limit', async () => {
    const chunks = Array.from({ length: 400 }, () => new Uint8Array(1024 * 1024));
    const body = watchedBody([MP4, ...chunks]);
    await refusalOf(sendingTo().add('endless.mp4', body));
    expect(body.pulled).toBe(201);
    expect(body.isOver).toBe(true);
  });

  test('applies to each file separately', async () => {
    const batch = sendingTo();
    const half = MAX_MULTIPART_FILE_BYTES / 2 + 1;
    for (const name of ['a.mp4', 'b.mp4', 'c.mp4']) await batch.add(name, longBody(MP4, half));
    expect(await batch.commit(ROOT)).toHaveLength(3);
  });
});
