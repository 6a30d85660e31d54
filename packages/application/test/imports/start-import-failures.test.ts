import { afterEach, beforeEach, describe, expect, spyOn, test } from 'bun:test';
import { addFolder, newId } from '@postshelf/testing/contracts/samples';
import { deleteFolder, type Resources } from '../../src/index.ts';
import { databases } from '../support/databases.ts';
import { JPEG, MP4, TEXT } from '../support/files.ts';
import { expectNothingLeft, fileOf, heldFile, URL } from '../support/imports.ts';
import { invalidOn, refusalOf, thrownBy } from '../support/refusals.ts';
import { type StartingWorld, startingWorld } from '../support/starting.ts';
import { changingStaged, withUnusableName } from '../support/storages.ts';
import { replacing } from '../support/world.ts';

afterEach(databases.closeAll);

const NO_FOLDER = invalidOn('folder_id', 'The selected folder id is invalid.');
const MINUTE = 60_000;

let world: StartingWorld;

beforeEach(async () => {
  world = await startingWorld();
});

describe('the folder of an import', () => {
  test('is checked before the URL is requested', async () => {
    expect(await refusalOf(world.start({ folderId: newId() }))).toEqual(NO_FOLDER);
    expect(world.remoteFiles.requested).toEqual([]);
    await expectNothingLeft(world, world.workspace);
  });

  test.each([
    ['an image', [fileOf(JPEG)]],
    ['a video', [fileOf(MP4)]],
    ['a host that is not found', []],
    ['a 404', [{ status: 404 }]],
  ])('is checked again after the URL was requested, and nothing is left if it was deleted: %s', async (_, answers) => {
    const folder = await addFolder(world, world.workspace.id);
    world.remoteFiles.serve(URL, ...answers);
    const remoteFiles = replacing(world.remoteFiles, {
      async open(url, options) {
        await deleteFolder(world, folder);
        return world.remoteFiles.open(url, options);
      },
    });
    const refused = world.start({ folderId: folder.id }, { ports: { ...world, remoteFiles } });
    expect(await refusalOf(refused)).toEqual(NO_FOLDER);
    await expectNothingLeft(world, world.workspace);
  });
});

describe('an internal fault', () => {
  const full = new Error('no space left');

  const FAULTS: Readonly<Record<string, (world: StartingWorld) => Partial<Resources>>> = {
    'the storage stores nothing': ({ storage }) => ({
      storage: replacing(storage, { stage: () => Promise.reject(full) }),
    }),
    'the object cannot be published': ({ storage }) => ({
      storage: changingStaged(storage, (object) => replacing(object, { publish: () => Promise.reject(full) })),
    }),
    'inspecting the first bytes fails': ({ inspector }) => ({
      inspector: replacing(inspector, { recognise: () => Promise.reject(full) }),
    }),
  };

  test.each(Object.entries(FAULTS))('ends the connection and leaves nothing when %s', async (_, fault) => {
    world.remoteFiles.serve(URL, fileOf(JPEG));
    expect(await thrownBy(world.start({}, { ports: { ...world, ...fault(world) } }))).toBe(full);
    await expectNothingLeft(world, world.workspace);
  });

  test('ends the connection when the job cannot be stored', async () => {
    const processing = replacing(world.processing, { begin: () => Promise.reject(full) });
    for (const [head, imageTimeout] of [
      [MP4, MINUTE],
      [JPEG, 0],
    ] as const) {
      world.remoteFiles.serve(URL, heldFile(head, new Uint8Array(1)).file);
      expect(await thrownBy(world.start({}, { ports: { ...world, processing }, imageTimeout }))).toBe(full);
      await expectNothingLeft(world, world.workspace);
    }
  });
});

test("an import whose name the storage can't have is refused, and nothing is left", async () => {
  world.remoteFiles.serve(URL, fileOf(JPEG));
  const storage = changingStaged(world.storage, withUnusableName);
  const { errors } = (await refusalOf(world.start({}, { ports: { ...world, storage } }))) as { errors: object };
  expect(errors).toEqual({ name: [expect.stringContaining("can't have a file with the name")] });
  await expectNothingLeft(world, world.workspace);
});

test('a started import leaves no timer behind', async () => {
  const [set, clear] = [spyOn(globalThis, 'setTimeout'), spyOn(globalThis, 'clearTimeout')];
  try {
    // This unusual time-out distinguishes these timers from those that the tests of other files may still have in this
    // process.
    const imageTimeout = 61_234;
    for (const answer of [fileOf(JPEG), fileOf(TEXT), fileOf(MP4), { status: 404 }]) {
      world.remoteFiles.serve(URL, answer);
      await Promise.allSettled([world.start({}, { imageTimeout })]);
    }
    const own = set.mock.results.filter((_, call) => set.mock.calls[call]?.[1] === imageTimeout);
    expect(own).toHaveLength(1);
    for (const { value } of own) expect(clear.mock.calls.some(([timer]) => timer === value)).toBe(true);
  } finally {
    set.mockRestore();
    clear.mockRestore();
  }
});
