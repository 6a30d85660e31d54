import { afterEach, beforeEach, describe, expect, test } from 'bun:test';
import { type ActiveMedia, pageRequest, type StagedObject, type Workspace } from '@postshelf/domain';
import { addFolder, newId } from '@postshelf/testing/contracts/samples';
import { collectGarbage, deleteFolder, listMedia, openMedia, type Resources, UploadBatch } from '../../src/index.ts';
import { databases } from '../support/databases.ts';
import { JPEG, MP4, PNG } from '../support/files.ts';
import { bodyOf, countStaged, publishedKeys } from '../support/objects.ts';
import { invalidOn, refusalOf, thrownBy } from '../support/refusals.ts';
import { changingStaged } from '../support/storages.ts';
import { inhabitedWorld, replacing, restarted, type World } from '../support/world.ts';

afterEach(databases.closeAll);

const ROOT = { label: null, folderId: null };
const NO_FOLDER = invalidOn('folder_id', 'The selected folder id is invalid.');

let world: World;
let workspace: Workspace;

beforeEach(async () => {
  ({ workspace, ...world } = await inhabitedWorld());
});

/** Creates a batch of four objects: an image, a video with its cover, and another image. */
async function fullBatch(ports: Resources): Promise<UploadBatch> {
  const batch = new UploadBatch(ports, workspace);
  await batch.add('beach.jpg', bodyOf(JPEG));
  await batch.add('clip.mp4', bodyOf(MP4));
  await batch.add('icon.png', bodyOf(PNG));
  return batch;
}

const countRows = async (): Promise<number> => (await listMedia(world, workspace, {}, pageRequest())).total;

async function expectNothingLeft(): Promise<void> {
  expect(await publishedKeys(world)).toEqual([]);
  expect(countStaged(world)).toBe(0);
  expect(await countRows()).toBe(0);
}

describe('nothing is left of a batch', () => {
  test('when a cover fails', async () => {
    const unreadable = new Error('the disk failed');
    const batch = await fullBatch({ ...world, covers: { make: () => Promise.reject(unreadable) } });
    expect(await thrownBy(batch.commit(ROOT))).toBe(unreadable);
    await batch.discard();
    await expectNothingLeft();
  });

  test('when one of two covers fails while the other is still being made', async () => {
    const unreadable = new Error('the disk failed');
    const { promise: failed, resolve: fails } = Promise.withResolvers<void>();
    let made = 0;
    const covers: Resources['covers'] = {
      async make(source) {
        made += 1;
        if (made === 1) {
          fails();
          throw unreadable;
        }
        await failed;
        return world.covers.make(source);
      },
    };
    const batch = new UploadBatch({ ...world, covers }, workspace);
    await batch.add('one.mp4', bodyOf(MP4));
    await batch.add('two.mp4', bodyOf(MP4));
    expect(await thrownBy(batch.commit(ROOT))).toBe(unreadable);
    expect(made).toBe(2);
    await batch.discard();
    await expectNothingLeft();
  });

  test('when a cover cannot be staged', async () => {
    const full = new Error('no space left');
    let staged = 0;
    const storage = replacing(world.storage, {
      stage(body, options) {
        staged += 1;
        return staged <= 3 ? world.storage.stage(body, options) : Promise.reject(full);
      },
    });
    const batch = await fullBatch({ ...world, storage });
    expect(await thrownBy(batch.commit(ROOT))).toBe(full);
    await batch.discard();
    await expectNothingLeft();
  });

  test.each([[0], [1], [2], [3]])('when object %d of four cannot be published', async (failing) => {
    const full = new Error('no space left');
    let published = -1;
    const publishing = (object: StagedObject): StagedObject =>
      replacing(object, {
        publish(key) {
          published += 1;
          return published === failing ? Promise.reject(full) : object.publish(key);
        },
      });
    const media = replacing(world.media, { insert: () => Promise.reject(new Error('rows without objects')) });
    const batch = await fullBatch({ ...world, media, storage: changingStaged(world.storage, publishing) });
    expect(await thrownBy(batch.commit(ROOT))).toBe(full);
    await batch.discard();
    await expectNothingLeft();
  });

  test('when its folder belongs to another workspace', async () => {
    const batch = await fullBatch(world);
    expect(await refusalOf(batch.commit({ label: null, folderId: newId() }))).toEqual(NO_FOLDER);
    await batch.discard();
    await expectNothingLeft();
  });

  test('when its folder is deleted while the objects are published', async () => {
    const folder = await addFolder(world, workspace.id);
    const storage = changingStaged(world.storage, (object, index) =>
      replacing(object, {
        async publish(key) {
          if (index === 0) await deleteFolder(world, folder);
          await object.publish(key);
        },
      }),
    );
    const batch = await fullBatch({ ...world, storage });
    expect(await refusalOf(batch.commit({ label: null, folderId: folder.id }))).toEqual(NO_FOLDER);
    await batch.discard();
    await expectNothingLeft();
  });

  test("except objects that can't be removed, which garbage collection removes later", async () => {
    const storage = replacing(world.storage, { purge: () => Promise.reject(new Error('out of reach')) });
    const batch = await fullBatch({ ...world, storage });
    expect(await refusalOf(batch.commit({ label: null, folderId: newId() }))).toEqual(NO_FOLDER);
    await batch.discard();
    expect(await publishedKeys(world)).toHaveLength(4);
    await collectGarbage(world);
    await expectNothingLeft();
  });
});

describe('when the database fails while the rows are inserted', () => {
  const lost = new Error('connection lost');

  test('objects stay and can be read if the rows were committed', async () => {
    let kept: readonly ActiveMedia[] = [];
    const media = replacing(world.media, {
      async insert(items) {
        await world.media.insert(items);
        kept = items.filter((item) => item.status === 'active');
        throw lost;
      },
    });
    const batch = await fullBatch({ ...world, media });
    expect(await thrownBy(batch.commit(ROOT))).toBe(lost);
    await batch.discard();
    await collectGarbage(world);
    expect(kept).toHaveLength(4);
    for (const { fullName } of kept) expect(await openMedia(world, fullName)).not.toBeNull();
  });

  test('objects can’t be read, and are removed by garbage collection, if no row was committed', async () => {
    const media = replacing(world.media, { insert: () => Promise.reject(lost) });
    const batch = await fullBatch({ ...world, media });
    expect(await thrownBy(batch.commit(ROOT))).toBe(lost);
    await batch.discard();
    const keys = await publishedKeys(world);
    expect(keys).toHaveLength(4);
    for (const key of keys) expect(await openMedia(world, key)).toBeNull();
    await collectGarbage(world);
    await expectNothingLeft();
  });
});

test('a process that is killed before it inserts the rows leaves objects that garbage collection removes', async () => {
  const { promise: never } = Promise.withResolvers<'kept'>();
  const reached = Promise.withResolvers<void>();
  const media = replacing(world.media, {
    insert() {
      reached.resolve();
      return never;
    },
  });
  const batch = await fullBatch({ ...world, media });
  void batch.commit(ROOT);
  await reached.promise;
  expect(await publishedKeys(world)).toHaveLength(4);
  expect(await countRows()).toBe(0);
  expect(await collectGarbage(restarted(world))).toMatchObject({ staged: 0, trashed: 4, unconfirmed: 0, uploads: 0 });
  await expectNothingLeft();
});
