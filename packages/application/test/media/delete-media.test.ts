import { afterEach, beforeEach, describe, expect, test } from 'bun:test';
import type { ActiveMedia, Workspace } from '@postshelf/domain';
import { sampleCover } from '@postshelf/testing/contracts/samples';
import { deleteMedia } from '../../src/index.ts';
import { databases } from '../support/databases.ts';
import { addImage, publish, publishedKeys } from '../support/objects.ts';
import { invalidOn, refusalOf, thrownBy } from '../support/refusals.ts';
import { inhabitedWorld, replacing, type World } from '../support/world.ts';

afterEach(databases.closeAll);

let world: World;
let workspace: Workspace;
let video: ActiveMedia;
let cover: ActiveMedia;
let leftOver: [fullName: string, cause: unknown][];

beforeEach(async () => {
  ({ workspace, ...world } = await inhabitedWorld());
  leftOver = [];
  video = await addImage(world, workspace.id, { name: 'video.jpg' });
  cover = sampleCover(video);
  await publish(world, cover.fullName, new Uint8Array([1]));
  await world.media.insert([cover]);
});

const remove = (
  ports: Pick<World, 'media' | 'storage' | 'presignStorage' | 'previewStorage'>,
  item: ActiveMedia,
): Promise<void> => deleteMedia(ports, item, (fullName, cause) => leftOver.push([fullName, cause]));

describe('deleting a media item', () => {
  test('removes its row, its object, and those of its cover, their previews, and nothing else', async () => {
    const other = await addImage(world, workspace.id);
    const { previewStorage } = world;
    for (const { workspaceId, id } of [video, cover, other]) {
      await previewStorage.put({ workspaceId, id, width: 160 }, new Uint8Array([1]));
    }
    await remove(world, video);
    expect(await world.media.find(video.id)).toBeNull();
    expect(await world.media.find(cover.id)).toBeNull();
    expect(await publishedKeys(world)).toEqual([other.fullName]);
    expect((await Array.fromAsync(previewStorage.list())).map(({ id }) => id)).toEqual([other.id]);
    expect(leftOver).toEqual([]);
  });

  test('removes the rows before any object, so that a kill in between leaves no row without an object', async () => {
    const killed = new Error('killed');
    const media = replacing(world.media, { remove: () => Promise.reject(killed) });
    expect(await thrownBy(remove({ ...world, media }, video))).toBe(killed);
    expect(await publishedKeys(world)).toEqual([video.fullName, cover.fullName].sort());

    const rowsWhenAnObjectGoes: boolean[] = [];
    const storage = replacing(world.storage, {
      async remove(key) {
        rowsWhenAnObjectGoes.push((await world.media.existingFullNames([video.fullName, cover.fullName])).size > 0);
        await world.storage.remove(key);
      },
    });
    await remove({ ...world, storage }, video);
    expect(rowsWhenAnObjectGoes).toEqual([false, false]);
  });

  test('continues when an object cannot be removed, and reports it', async () => {
    const outOfReach = new Error('out of reach');
    const storage = replacing(world.storage, {
      remove: (key) => (key === video.fullName ? Promise.reject(outOfReach) : world.storage.remove(key)),
    });
    await remove({ ...world, storage }, video);
    expect(leftOver).toEqual([[video.fullName, outOfReach]]);
    expect(await publishedKeys(world)).toEqual([video.fullName]);
    expect(await world.media.find(video.id)).toBeNull();
  });

  test('succeeds for one of two concurrent callers', async () => {
    const [one, two] = await Promise.allSettled([remove(world, video), remove(world, video)]);
    expect([one.status, two.status].sort()).toEqual(['fulfilled', 'rejected']);
    expect(await refusalOf(remove(world, video))).toEqual({ code: 'not_found' });
  });

  test('refuses to delete a cover without its video', async () => {
    expect(await refusalOf(remove(world, cover))).toEqual(
      invalidOn('id', 'The media item is the cover of a video and goes with it.'),
    );
    expect(await world.media.find(cover.id)).not.toBeNull();
  });
});
