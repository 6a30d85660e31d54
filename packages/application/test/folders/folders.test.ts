import { afterEach, beforeEach, describe, expect, test } from 'bun:test';
import { type Folder, pageRequest, type Workspace } from '@postshelf/domain';
import { addFolder, addWorkspace, newId, sampleToken } from '@postshelf/testing/contracts/samples';
import {
  type Caller,
  createFolder,
  deleteFolder,
  findFolder,
  listFolders,
  requireFolder,
  updateFolder,
} from '../../src/index.ts';
import { callerByToken } from '../support/callers.ts';
import { databases } from '../support/databases.ts';
import { invalidOn, refusalOf } from '../support/refusals.ts';
import { makeWorld, type World } from '../support/world.ts';

afterEach(databases.closeAll);

// The rules for the folder tree are tested with the repository (describeFolderRepository). These tests cover the
// refusals that callers get.
const NOT_FOUND = { code: 'not_found' } as const;
const NO_PARENT = invalidOn('parent_id', 'The selected parent id is invalid.');
const TAKEN = invalidOn('name', 'The name has already been taken.');
const CYCLE = invalidOn('parent_id', 'The parent id field must not be the folder itself or a folder below it.');
const TOO_DEEP = invalidOn('parent_id', 'The parent id field must not nest folders more than 16 levels deep.');
const SYSTEM = invalidOn('folder', 'The folder is a system folder and cannot be changed or deleted.');
const NOT_EMPTY = invalidOn('folder', 'The folder is not empty.');

const never = new AbortController().signal;

let world: World;
let workspace: Workspace;
let foreign: Folder;
let caller: Caller;

beforeEach(async () => {
  world = await makeWorld();
  workspace = await addWorkspace(world);
  foreign = await addFolder(world, (await addWorkspace(world)).id);
  caller = callerByToken(sampleToken([workspace.id]));
});

const create = (name: string, parentId: Folder['parentId'] = null): Promise<Folder> =>
  createFolder(world, workspace, { name, parentId });

const list = (parentId?: Folder['parentId'], page = pageRequest()) =>
  listFolders(world, workspace, parentId === undefined ? {} : { parentId }, page);

const namesIn = async (parentId?: Folder['parentId']) => (await list(parentId)).items.map(({ name }) => name);

test('moving a folder takes a write slot of its workspace, but renaming one takes none', async () => {
  const [folder, parent] = [await create('Folder'), await create('Parent')];
  const take = () => world.shares.tryTake('writes', workspace.id);
  const held: (() => void)[] = [];
  for (let slot = take(); slot !== null; slot = take()) held.push(slot);
  const moved = updateFolder(world, folder, { parentId: parent.id }, never);
  const caller = new AbortController();
  const givenUp = updateFolder(world, folder, { parentId: parent.id }, caller.signal);
  expect(world.shares.figures('writes').waiting).toBe(2);
  caller.abort();
  expect(await refusalOf(givenUp)).toMatchObject({ code: 'malformed' });
  const renamed = await updateFolder(world, folder, { name: 'Renamed', parentId: null }, never);
  expect(renamed).toMatchObject({ name: 'Renamed', parentId: null });
  held[0]?.();
  expect(await moved).toMatchObject({ name: 'Renamed', parentId: parent.id });
  expect(world.shares.figures('writes')).toMatchObject({ inUse: held.length - 1, waiting: 0 });
});

test('a violated folder rule is reported on the field that violates it', async () => {
  const top = await create('Top');
  let bottom = top;
  while ((await namesIn()).length < 16) bottom = await create('Below', bottom.id);
  const system = await addFolder(world, workspace.id, { isSystem: true });
  for (const [work, refusal] of [
    [() => create('TOP'), TAKEN],
    [() => create('A', foreign.id), NO_PARENT],
    [() => create('A', newId()), NO_PARENT],
    [() => create('A', bottom.id), TOO_DEEP],
    [() => updateFolder(world, top, { parentId: bottom.id }, never), CYCLE],
    [() => updateFolder(world, top, { parentId: foreign.id }, never), NO_PARENT],
    [() => updateFolder(world, system, { name: 'mine' }, never), SYSTEM],
    [() => deleteFolder(world, system), SYSTEM],
    [() => deleteFolder(world, top), NOT_EMPTY],
    [() => list(foreign.id), NO_PARENT],
    [() => list(newId()), NO_PARENT],
  ] as const) {
    expect(await refusalOf(work())).toEqual(refusal);
  }
});

describe('a folder id in a path', () => {
  test('finds the folder in lower and upper case', async () => {
    const folder = await create('A');
    expect(await findFolder(world, caller, folder.id)).toEqual(folder);
    expect(await findFolder(world, caller, folder.id.toUpperCase())).toEqual(folder);
  });

  test('returns not_found if it is foreign, unknown or malformed', async () => {
    for (const id of [foreign.id, newId(), 'root', '']) {
      expect(await refusalOf(findFolder(world, caller, id))).toEqual(NOT_FOUND);
    }
  });
});

test('a folder id that is unknown or of another workspace is refused with an error on its field', async () => {
  const own = await create('A');
  for (const id of [own.id, null, undefined]) await requireFolder(world, workspace, 'folder_id', id);
  for (const id of [foreign.id, newId()]) {
    const refused = requireFolder(world, workspace, 'folder_id', id);
    expect(await refusalOf(refused)).toEqual(invalidOn('folder_id', 'The selected folder id is invalid.'));
  }
});
