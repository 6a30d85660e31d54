import { afterEach, beforeEach, describe, expect, test } from 'bun:test';
import { type ActiveMedia, beginImport, beginPresigned, fail, type MediaItem, type Workspace } from '@postshelf/domain';
import { newId } from '@postshelf/testing/contracts/samples';
import { fakeFile } from '@postshelf/testing/fakes';
import { openMedia } from '../../src/index.ts';
import { databases } from '../support/databases.ts';
import { addImage, publish, readObject } from '../support/objects.ts';
import { inhabitedWorld, replacing, type World } from '../support/world.ts';

afterEach(databases.closeAll);

let world: World;
let workspace: Workspace;
let image: ActiveMedia;

const bytes = fakeFile({ type: 'image/jpeg', width: 4, height: 3, time: null });

beforeEach(async () => {
  ({ workspace, ...world } = await inhabitedWorld());
  image = await addImage(world, workspace.id);
});

describe('opening a media item by its link', () => {
  test('returns the item and its object', async () => {
    const opened = await openMedia(world, image.fullName);
    expect(opened?.item).toEqual(image);
    expect(opened && (await readObject(opened.object))).toEqual(bytes);
  });

  test.each([
    ['the name in another case', () => image.fullName.toUpperCase()],
    ['another name', () => image.fullName.replace('beach.jpg', 'beach.png')],
    ['no name', () => image.fullName.replace('beach.jpg', '')],
    ['a trailing character', () => `${image.fullName}/`],
    ['a leading character', () => `/${image.fullName}`],
    ['another workspace', () => image.fullName.replace(workspace.id, newId())],
    ['an unknown id', () => image.fullName.replace(image.id, newId())],
    ['only the id', () => image.id],
    ['a path with ..', () => `${workspace.id}/${image.id}/../${image.id}/beach.jpg`],
    ['an empty path', () => ''],
  ])('returns null for %s', async (_, path) => {
    expect(await openMedia(world, path())).toBeNull();
  });

  test.each([
    ['processing', (): MediaItem => beginImport(details(), 1)],
    ['temporary', (): MediaItem => beginPresigned(details(), 1)],
    ['failed', (): MediaItem => fail(beginImport(details(), 1), 'The server answered 404.', 2)],
  ])('returns null for an item that is %s, although its object exists', async (_, make) => {
    const item = make();
    await world.media.insert([item]);
    await publish(world, item.fullName, new Uint8Array([1]));
    expect(await openMedia(world, item.fullName)).toBeNull();
  });

  test('returns null for an object that has no row, and for a row that has no object', async () => {
    const orphan = details().fullName;
    await publish(world, orphan, new Uint8Array([1]));
    expect(await openMedia(world, orphan)).toBeNull();
    await world.storage.purge(image.fullName);
    const missing: string[] = [];
    const note = ({ id }: { readonly id: string }) => void missing.push(id);
    expect(await openMedia(world, image.fullName, note)).toBeNull();
    expect(missing).toEqual([image.id]);
    expect(await openMedia(world, orphan, note)).toBeNull();
    expect(missing).toHaveLength(1);
  });

  test('does not report an object as missing when its item is deleted meanwhile', async () => {
    const open = async (key: string) => {
      await world.media.delete(image.id);
      await world.storage.purge(key);
      return world.storage.open(key);
    };
    const racing = { ...world, storage: replacing(world.storage, { open }) };
    const note = () => {
      throw new Error('It was said to be missing.');
    };
    expect(await openMedia(racing, image.fullName, note)).toBeNull();
  });
});

function details() {
  const id = world.ids.next();
  const fullName = `${workspace.id}/${id}/a.jpg`;
  return { id, workspaceId: workspace.id, folderId: null, label: null, name: 'a.jpg', fullName };
}
