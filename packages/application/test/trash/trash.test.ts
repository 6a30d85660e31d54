import { afterEach, beforeEach, expect, test } from 'bun:test';
import type { ActiveMedia, MediaItem, Workspace } from '@postshelf/domain';
import { sampleCover } from '@postshelf/testing/contracts/samples';
import { collectGarbage, deleteMedia, emptyTrash, restoreMedia, verify } from '../../src/index.ts';
import { databases } from '../support/databases.ts';
import { addImage, publish } from '../support/objects.ts';
import { refusalOf } from '../support/refusals.ts';
import { inhabitedWorld, replacing, type World } from '../support/world.ts';

afterEach(databases.closeAll);

const DAY = 24 * 60 * 60 * 1000;

let world: World;
let workspace: Workspace;
let video: ActiveMedia;
let names: readonly string[];

beforeEach(async () => {
  const inhabited = await inhabitedWorld();
  workspace = inhabited.workspace;
  world = { ...inhabited, undoTime: 30 * DAY, isPublic: true };
  video = await addImage(world, workspace.id);
  const { content, ...item } = sampleCover(video);
  const cover = { ...item, content: { ...content, size: 1 } };
  await publish(world, cover.fullName, new Uint8Array(1));
  await world.media.insert([cover]);
  names = [video.fullName, cover.fullName].sort();
});

const remove = (ports: World, item: MediaItem = video): Promise<void> =>
  deleteMedia(ports, item, (_, cause) => {
    throw cause;
  });

const restore = async (ports: World) => {
  const trashed = await ports.trashed.find(video.id);
  if (!trashed) throw new Error('It is not in the trash.');
  return restoreMedia(ports, trashed);
};

const hidden = async (): Promise<string[]> =>
  (await Array.fromAsync(world.storage.list())).flatMap((listed) => (listed.isHidden ? listed.key : [])).sort();

test('objects of a public bucket are hidden on deletion, and shown before their item is restored', async () => {
  await remove(world);
  expect(await hidden()).toEqual([...names]);
  const isBack: boolean[] = [];
  const storage = replacing(world.storage, {
    async show(key) {
      isBack.push((await world.media.find(video.id)) !== null);
      await world.storage.show(key);
    },
  });
  expect(await restore({ ...world, storage })).toMatchObject({ item: { id: video.id, version: video.version + 1 } });
  // The objects are shown once more after the restoration, because another process may have been hiding them.
  expect(isBack).toEqual([false, false, true, true]);
  expect(await hidden()).toEqual([]);
  expect(await world.deletions.list(10)).toEqual([]);
});

test('objects get the right visibility even if their item is restored or removed while it changes', async () => {
  const racing = replacing(world.storage, {
    async hide(key) {
      if (await world.trashed.find(video.id)) await restore(world);
      await world.storage.hide(key);
    },
  });
  await remove({ ...world, storage: racing });
  expect(await hidden()).toEqual([]);
  await remove(world);
  const removed = replacing(world.storage, {
    async show(key) {
      await world.storage.show(key);
      await world.trashed.purge(video.id, 1);
    },
  });
  expect(await refusalOf(restore({ ...world, storage: removed }))).toMatchObject({ code: 'not_found' });
  expect(await hidden()).toEqual([...names]);
});

test('garbage collection hides or shows objects whose visibility doesn’t match their item', async () => {
  await remove({ ...world, isPublic: false });
  expect(await hidden()).toEqual([]);
  await collectGarbage(world);
  expect(await hidden()).toEqual([...names]);
  await world.trashed.restore(video.id, world.clock.now());
  expect(await collectGarbage(world)).toMatchObject({ trashed: 0, withheld: null });
  expect(await hidden()).toEqual([]);
});

test('garbage collection hides an object that a kill has left both hidden and visible', async () => {
  await remove(world);
  const both = replacing(world.storage, {
    async *list() {
      for (const key of names) yield { key, size: 1, modifiedAt: 0, isSettled: true };
      yield* world.storage.list();
    },
  });
  const hides: string[] = [];
  const storage = replacing(both, {
    async hide(key) {
      hides.push(key);
    },
  });
  await collectGarbage({ ...world, storage });
  expect(hides.sort()).toEqual([...names]);
});

test('objects of trashed items are not garbage, are verified, and are purged after the undo time', async () => {
  await remove(world);
  world.clock.advance(29 * DAY);
  expect(await collectGarbage(world)).toMatchObject({ trashed: 0 });
  const report = () => verify(world, { hashes: false, onProblem: () => undefined });
  expect(await report()).toMatchObject({ objects: 2, problems: 0 });
  for (const name of names) await world.storage.purge(name);
  expect(await report()).toMatchObject({ objects: 2, problems: 2 });
  world.clock.advance(2 * DAY);
  await collectGarbage(world);
  expect(await world.trashed.find(video.id)).toBeNull();
  expect((await world.deletions.list(10)).map(({ fullName }) => fullName ?? '').sort()).toEqual([...names]);
});

test('emptying the trash removes everything, and without an undo time deletion is final', async () => {
  await remove(world);
  await emptyTrash(world, workspace);
  expect(await world.deletions.list(10)).toHaveLength(2);
  const other = await addImage(world, workspace.id);
  await remove({ ...world, undoTime: 0 }, other);
  expect(await world.trashed.find(other.id)).toBeNull();
  expect(await world.deletions.list(10)).toHaveLength(3);
});
