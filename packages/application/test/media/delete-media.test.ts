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

const remove = (ports: World, item: ActiveMedia): Promise<void> =>
  deleteMedia(ports, item, (fullName, cause) => leftOver.push([fullName, cause]));

const namesDue = async (): Promise<readonly (string | null)[]> =>
  (await world.deletions.list(10)).map(({ fullName }) => fullName).sort();

describe('deleting a media item', () => {
  test("removes only its row, its cover's row and their previews, and records their objects as deleted", async () => {
    const other = await addImage(world, workspace.id);
    const { previewStorage } = world;
    for (const { workspaceId, id } of [video, cover, other]) {
      await previewStorage.put({ workspaceId, id, width: 160 }, new Uint8Array([1]));
    }
    await remove(world, video);
    expect(await world.media.find(video.id)).toBeNull();
    expect(await world.media.find(cover.id)).toBeNull();
    expect(await publishedKeys(world)).toEqual([video.fullName, cover.fullName, other.fullName].sort());
    expect(await namesDue()).toEqual([video.fullName, cover.fullName].sort());
    expect((await Array.fromAsync(previewStorage.list())).map(({ id }) => id)).toEqual([other.id]);
    expect(leftOver).toEqual([]);
  });

  test('moves publicly readable objects to the trash immediately', async () => {
    await remove({ ...world, isPublic: true }, video);
    expect(await publishedKeys(world)).toEqual([]);
    expect(await Array.fromAsync(world.trash.list())).toHaveLength(2);
    expect(await namesDue()).toHaveLength(2);
  });

  test("continues if an object can't be moved to the trash, and reports it", async () => {
    const outOfReach = new Error('out of reach');
    const trash = replacing(world.trash, {
      add: (key, at) => (key === video.fullName ? Promise.reject(outOfReach) : world.trash.add(key, at)),
    });
    await remove({ ...world, trash, isPublic: true }, video);
    expect(leftOver).toEqual([[video.fullName, outOfReach]]);
    expect(await world.media.find(video.id)).toBeNull();
    expect(await namesDue()).toHaveLength(2);
  });

  test('keeps rows and objects when the transaction fails', async () => {
    const killed = new Error('killed');
    const media = replacing(world.media, { delete: () => Promise.reject(killed) });
    expect(await thrownBy(remove({ ...world, media }, video))).toBe(killed);
    expect(await publishedKeys(world)).toEqual([video.fullName, cover.fullName].sort());
    expect(await namesDue()).toEqual([]);
  });

  test('succeeds for only one of two concurrent callers', async () => {
    const [one, two] = await Promise.allSettled([remove(world, video), remove(world, video)]);
    expect([one.status, two.status].sort()).toEqual(['fulfilled', 'rejected']);
    expect(await refusalOf(remove(world, video))).toEqual({ code: 'not_found' });
  });

  test('refuses to delete a cover without its video', async () => {
    expect(await refusalOf(remove(world, cover))).toEqual(
      invalidOn('id', 'The media item is the cover of a video and cannot be changed separately.'),
    );
    expect(await world.media.find(cover.id)).not.toBeNull();
  });
});
