import { afterEach, expect, test } from 'bun:test';
import { NO_TERMS } from '@postshelf/domain';
import { fakeFile } from '@postshelf/testing/fakes';
import { outcomeOf } from '@postshelf/testing/outcomes';
import { appendToUpload, createResumable } from '../../src/index.ts';
import { databases } from '../support/databases.ts';
import { inhabitedWorld, replacing, type World } from '../support/world.ts';

afterEach(databases.closeAll);

const jpeg = fakeFile({ type: 'image/jpeg', width: 4, height: 3, time: null });

/** Begins an upload. Returns a function that appends all bytes of the file to it, with the result of the checksum. */
async function begun() {
  const world = await inhabitedWorld();
  const announced = { fileName: 'beach.jpg', label: null, folderId: null, terms: NO_TERMS, createdBy: null };
  const upload = await createResumable(world, world.workspace, { ...announced, size: jpeg.length, metadata: '' });
  const append = (ports: World, isRight: () => boolean) =>
    appendToUpload(ports, upload, { offset: 0, body: bodyOnce, isRight, signal: new AbortController().signal });
  /** Returns the bytes of the file; null if a piece is missing. */
  const stored = async () => {
    const file = await world.resumableStorage.take(upload.id, await world.resumable.pieces(upload.id));
    return file ? file.read(0, file.size) : null;
  };
  return { world, upload, append, stored };
}

async function* bodyOnce(): AsyncGenerator<Uint8Array> {
  yield jpeg;
}

test('bytes with a correct checksum are kept if the database’s answer to their commit is lost', async () => {
  const { world, upload, append, stored } = await begun();
  const resumable = replacing(world.resumable, {
    advance: async (...given) => {
      await world.resumable.advance(...given);
      throw new Error('The connection to the database was lost.');
    },
  });
  expect(await outcomeOf(append({ ...world, resumable }, () => true))).toThrow('connection');
  expect(await world.resumable.find(upload.id)).toMatchObject({ received: jpeg.length });
  expect(await stored()).toEqual(jpeg);
});

test('bytes with a wrong checksum are discarded', async () => {
  const { world, upload, append } = await begun();
  const discarded: string[] = [];
  const resumableStorage = replacing(world.resumableStorage, {
    discard: async (id, pieces) => {
      discarded.push(...pieces.map(({ name }) => name));
      await world.resumableStorage.discard(id, pieces);
    },
  });
  expect(await outcomeOf(append({ ...world, resumableStorage }, () => false))).toThrow('checksum');
  expect(await world.resumable.find(upload.id)).toMatchObject({ received: 0 });
  expect(discarded).toHaveLength(1);
});
