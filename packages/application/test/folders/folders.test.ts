import { afterEach, beforeEach, describe, expect, test } from 'bun:test';
import { type AccessToken, type Folder, MAX_FOLDER_DEPTH, pageRequest, type Workspace } from '@postshelf/domain';
import { addFolder, addWorkspace, newId, sampleImage, sampleToken } from '@postshelf/testing/contracts/samples';
import { createFolder, deleteFolder, findFolder, listFolders, requireFolder, updateFolder } from '../../src/index.ts';
import { databases } from '../support/databases.ts';
import { invalidOn, refusalOf } from '../support/refusals.ts';
import { makeWorld, type World } from '../support/world.ts';

afterEach(databases.closeAll);

const NOT_FOUND = { code: 'not_found' } as const;
const NO_PARENT = invalidOn('parent_id', 'The selected parent id is invalid.');
const TAKEN = invalidOn('name', 'The name has already been taken.');
const CYCLE = invalidOn('parent_id', 'The parent id field must not be the folder itself or a folder below it.');
const TOO_DEEP = invalidOn('parent_id', 'The parent id field must not nest folders more than 16 levels deep.');
const SYSTEM = invalidOn('folder', 'The folder is a system folder and cannot be changed or deleted.');
const NOT_EMPTY = invalidOn('folder', 'The folder is not empty.');

let world: World;
let workspace: Workspace;
let elsewhere: Workspace;
let token: AccessToken;

beforeEach(async () => {
  world = await makeWorld();
  workspace = await addWorkspace(world);
  elsewhere = await addWorkspace(world);
  token = sampleToken([workspace.id]);
});

const create = (name: string, parentId: Folder['parentId'] = null): Promise<Folder> =>
  createFolder(world, workspace, { name, parentId });

const list = async (parentId?: Folder['parentId']): Promise<readonly string[]> => {
  const filter = parentId === undefined ? {} : { parentId };
  return (await listFolders(world, workspace, filter, pageRequest())).items.map(({ name }) => name);
};

/** Folders one in another, the first at the top. */
async function chain(length: number): Promise<readonly Folder[]> {
  const folders: Folder[] = [];
  for (let level = 1; level <= length; level += 1) folders.push(await create(`${level}`, folders.at(-1)?.id ?? null));
  return folders;
}

describe('creating a folder', () => {
  test('keeps it as asked', async () => {
    const parent = await create('Campaigns');
    world.clock.advance(5);
    const folder = await create('Spring', parent.id);
    expect(folder).toEqual({
      id: folder.id,
      workspaceId: workspace.id,
      parentId: parent.id,
      name: 'Spring',
      isSystem: false,
      createdAt: world.clock.now(),
      updatedAt: world.clock.now(),
    });
    expect(await world.folders.find(folder.id)).toEqual(folder);
  });

  test('refuses a sibling of the same name in another case, not one elsewhere', async () => {
    const parent = await create('Stra\u00dfe');
    expect(await refusalOf(create('STRASSE'))).toEqual(TAKEN);
    expect(await create('STRASSE', parent.id)).toMatchObject({ parentId: parent.id });
  });

  test('refuses a parent that is foreign or unknown in the same words', async () => {
    const foreign = await addFolder(world, elsewhere.id);
    expect(await refusalOf(create('A', foreign.id))).toEqual(NO_PARENT);
    expect(await refusalOf(create('A', newId()))).toEqual(NO_PARENT);
    expect(await list()).toEqual([]);
  });

  test('takes the sixteenth level and refuses the seventeenth', async () => {
    const bottom = (await chain(MAX_FOLDER_DEPTH)).at(-1);
    expect(await refusalOf(create('one too deep', bottom?.id))).toEqual(TOO_DEEP);
  });
});

describe('finding a folder', () => {
  test('finds it by its id in either case', async () => {
    const folder = await create('A');
    expect(await findFolder(world, token, folder.id)).toEqual(folder);
    expect(await findFolder(world, token, folder.id.toUpperCase())).toEqual(folder);
  });

  test('answers not_found alike for what is foreign, unknown or no id', async () => {
    const foreign = await addFolder(world, elsewhere.id);
    for (const id of [foreign.id, newId(), 'root', '']) {
      expect(await refusalOf(findFolder(world, token, id))).toEqual(NOT_FOUND);
    }
  });
});

describe('listing folders', () => {
  test('gives those of the workspace, the last updated first', async () => {
    await addFolder(world, elsewhere.id);
    const first = await create('first');
    world.clock.advance(1);
    await create('second', first.id);
    world.clock.advance(1);
    await create('third');
    expect(await list()).toEqual(['third', 'second', 'first']);
    expect(await list(null)).toEqual(['third', 'first']);
    expect(await list(first.id)).toEqual(['second']);
  });

  test('gives the page that is asked for, and counts all', async () => {
    for (const name of ['a', 'b', 'c', 'd', 'e']) {
      await create(name);
      world.clock.advance(1);
    }
    const page = await listFolders(world, workspace, {}, pageRequest(2, 2));
    expect(page.items.map(({ name }) => name)).toEqual(['c', 'b']);
    expect(page.total).toBe(5);
    expect(await listFolders(world, workspace, {}, pageRequest(9, 2))).toEqual({ items: [], total: 5 });
  });

  test('refuses a parent that is foreign or unknown', async () => {
    const foreign = await addFolder(world, elsewhere.id);
    expect(await refusalOf(list(foreign.id))).toEqual(NO_PARENT);
    expect(await refusalOf(list(newId()))).toEqual(NO_PARENT);
  });
});

describe('updating a folder', () => {
  test('renames and moves, and leaves the rest', async () => {
    const parent = await create('parent');
    const folder = await create('child', parent.id);
    world.clock.advance(7);
    const renamed = await updateFolder(world, folder, { name: 'grown' });
    expect(renamed).toEqual({ ...folder, name: 'grown', updatedAt: world.clock.now() });
    const moved = await updateFolder(world, renamed, { parentId: null });
    expect(moved).toEqual({ ...renamed, parentId: null });
    expect(await world.folders.find(folder.id)).toEqual(moved);
  });

  test('lets a folder keep its own name, in another case', async () => {
    const folder = await create('Beach');
    expect(await updateFolder(world, folder, { name: 'BEACH' })).toMatchObject({ name: 'BEACH' });
  });

  test('refuses a name that a sibling has where it moves to', async () => {
    const parent = await create('parent');
    await create('same', parent.id);
    const folder = await create('Same');
    expect(await refusalOf(updateFolder(world, folder, { parentId: parent.id }))).toEqual(TAKEN);
    expect(await world.folders.find(folder.id)).toEqual(folder);
  });

  test('refuses to move a folder into itself or below', async () => {
    const [top, , bottom] = await chain(3);
    if (!top || !bottom) throw new Error('a chain');
    expect(await refusalOf(updateFolder(world, top, { parentId: top.id }))).toEqual(CYCLE);
    expect(await refusalOf(updateFolder(world, top, { parentId: bottom.id }))).toEqual(CYCLE);
  });

  test('counts the levels below the folder that moves', async () => {
    const [first] = await chain(MAX_FOLDER_DEPTH);
    const parent = await create('one more');
    if (!first) throw new Error('a chain');
    expect(await refusalOf(updateFolder(world, first, { parentId: parent.id }))).toEqual(TOO_DEEP);
  });

  test('refuses a parent of another workspace', async () => {
    const folder = await create('A');
    const foreign = await addFolder(world, elsewhere.id);
    expect(await refusalOf(updateFolder(world, folder, { parentId: foreign.id }))).toEqual(NO_PARENT);
  });

  test('refuses any change of a system folder', async () => {
    const system = await addFolder(world, workspace.id, { isSystem: true });
    expect(await refusalOf(updateFolder(world, system, { name: 'mine' }))).toEqual(SYSTEM);
  });

  test('answers not_found when the folder went meanwhile', async () => {
    const folder = await create('A');
    await deleteFolder(world, folder);
    expect(await refusalOf(updateFolder(world, folder, { name: 'B' }))).toEqual(NOT_FOUND);
  });
});

describe('deleting a folder', () => {
  test('removes an empty one, once', async () => {
    const folder = await create('A');
    await deleteFolder(world, folder);
    expect(await world.folders.find(folder.id)).toBeNull();
    expect(await refusalOf(deleteFolder(world, folder))).toEqual(NOT_FOUND);
  });

  test('refuses one with a folder or a media item in it', async () => {
    const parent = await create('parent');
    const child = await create('child', parent.id);
    expect(await refusalOf(deleteFolder(world, parent))).toEqual(NOT_EMPTY);
    await world.media.insert([sampleImage(workspace.id, { folderId: child.id })]);
    expect(await refusalOf(deleteFolder(world, child))).toEqual(NOT_EMPTY);
  });

  test('refuses a system folder, though it is empty', async () => {
    const system = await addFolder(world, workspace.id, { isSystem: true });
    expect(await refusalOf(deleteFolder(world, system))).toEqual(SYSTEM);
  });
});

describe('a folder named in a body', () => {
  test('must be one of the workspace, on the field that names it', async () => {
    const own = await create('A');
    const foreign = await addFolder(world, elsewhere.id);
    for (const id of [own.id, null, undefined]) await requireFolder(world, workspace, 'folder_id', id);
    for (const id of [foreign.id, newId()]) {
      expect(await refusalOf(requireFolder(world, workspace, 'folder_id', id))).toEqual(
        invalidOn('folder_id', 'The selected folder id is invalid.'),
      );
    }
  });
});
