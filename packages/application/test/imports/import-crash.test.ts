import { afterEach, describe, expect, test } from 'bun:test';
import { collectGarbage, deleteMedia, type Resources, updateMedia } from '../../src/index.ts';
import { databases } from '../support/databases.ts';
import { JPEG, MP4 } from '../support/files.ts';
import { addImport, countImports, fileOf, itemNow, LEASE_TIME, startImports, URL } from '../support/imports.ts';
import { afterCallNumber, behindEachCall, interruptible, workUntilKilled } from '../support/interruptions.ts';
import { bytesUnder, countStaged, destroyDeleted, publishedKeys } from '../support/objects.ts';
import { inhabitedWorld, replacing, restarted, type World } from '../support/world.ts';

afterEach(databases.closeAll);

/**
 * The file at the URL has a different length each time it is downloaded, so that the downloads can be distinguished.
 */
const LENGTHS = [200, 300, 400];

/** Prepares an import of an item with this name. Also returns the key that its object must have. */
async function prepare(bytes: Uint8Array, name: string) {
  const world = await inhabitedWorld();
  const item = await addImport(world, world.workspace, { name });
  world.remoteFiles.serve(URL, ...LENGTHS.map((length) => fileOf(bytes, new Uint8Array(length - bytes.length))));
  return { world, item, key: `${world.workspace.id}/${item.id}/beach.${bytes === JPEG ? 'jpg' : 'mp4'}` };
}

/**
 * Expects an active item with its object, the cover with its own object, and nothing else.
 *
 * @param expected the usual key of the object. If another worker has already published under this key, the actual key
 *   contains a number.
 */
async function expectActive(world: World, id: Awaited<ReturnType<typeof prepare>>['item']['id'], expected: string) {
  const found = await world.media.find(id);
  const key = found?.item.fullName ?? '';
  expect(found?.item.status).toBe('active');
  expect(key.replace(/\/[23]\./, '/beach.')).toBe(expected);
  const size = found?.item.status === 'active' ? found.item.content.size : null;
  expect((await bytesUnder(world, key))?.length ?? null).toBe(size);
  expect(await publishedKeys(world)).toEqual([key, ...(found?.cover ? [found.cover.fullName] : [])].sort());
  expect(await countImports(world)).toBe(0);
  expect(countStaged(world)).toBe(0);
}

const KINDS = [
  ['an imported image that keeps its name', JPEG, 'beach.jpg'],
  ['an imported video that gets an extension', MP4, 'beach'],
] as const;

describe.each(KINDS)('%s', (_, bytes, name) => {
  test('becomes active, with one object, wherever the first worker is killed', async () => {
    const calls = await behindEachCall(async (number) => {
      const { world, item, key } = await prepare(bytes, name);
      const calls = await workUntilKilled(world, number);

      world.clock.advance(LEASE_TIME);
      const later = restarted(world);
      const second = startImports(later);
      await second.runner.runDue();
      if ((await itemNow(later, item.id)).status === 'processing') expect(await second.heard(1)).toEqual(['active']);
      await collectGarbage(later);
      await expectActive(later, item.id, key);
      return calls;
    });
    expect(calls).toEqual(expect.arrayContaining(['storage.stage', 'object.publish', 'processing.finish']));
  });

  test('leaves no object if it fails after the first worker was killed at any call', async () => {
    await behindEachCall(async (number) => {
      const { world, item } = await prepare(bytes, name);
      const calls = await workUntilKilled(world, number);
      if ((await itemNow(world, item.id)).status === 'active') return calls;

      world.clock.advance(LEASE_TIME);
      const later = restarted(world);
      later.remoteFiles.serve(URL, { status: 404 });
      const second = startImports(later);
      await second.runner.runDue();
      expect(await second.heard(1)).toEqual(['failed']);
      await collectGarbage(later);
      expect(await publishedKeys(later)).toEqual([]);
      return calls;
    });
  });

  test.each([
    ['in the first attempt', false],
    ['in the second attempt, if the first left an object', true],
  ])('is not changed by a worker that is overtaken after any of its calls: %s', async (_, killedBefore) => {
    await behindEachCall(async (number) => {
      const { world: before, item, key } = await prepare(bytes, name);
      if (killedBefore) await leaveObject(before);
      const world = killedBefore ? restarted(before) : before;
      const { afterCall, calls } = afterCallNumber(number, async () => {
        world.clock.advance(LEASE_TIME);
        const second = startImports(world);
        await second.runner.runDue();
        if ((await itemNow(world, item.id)).status === 'processing') await second.heard(1);
      });
      const first = startImports(interruptible(world, afterCall));
      await first.runner.runDue();
      // If the worker paused before it claimed anything, the job is already done and the worker has nothing to do.
      if (calls.indexOf('jobs.claim') < number) await first.heard(1);

      await collectGarbage(world);
      await expectActive(world, item.id, key);
      return calls;
    });
  });
});

describe.each(KINDS)('%s', (_, bytes, name) => {
  test('leaves nothing if it is deleted after any call of the worker', async () => {
    await behindEachCall(async (number) => {
      const { world, item } = await prepare(bytes, name);
      const { afterCall, calls } = afterCallNumber(number, async () => {
        await deleteMedia(world, await itemNow(world, item.id), () => undefined);
      });
      const { runner, heard } = startImports(interruptible(world, afterCall));
      await runner.runDue();
      if (calls.indexOf('jobs.claim') < number) await heard(1);
      await destroyDeleted(world);
      if (calls.length >= number) {
        expect(await publishedKeys(world)).toEqual([]);
        expect(await world.media.find(item.id)).toBeNull();
      }
      expect(countStaged(world)).toBe(0);
      return calls;
    });
  });

  test('keeps a new name that it gets after any call of the worker', async () => {
    await behindEachCall(async (number) => {
      const { world, item } = await prepare(bytes, name);
      const { afterCall, calls } = afterCallNumber(number, async () => {
        await updateMedia(world, await itemNow(world, item.id), { name: 'At sea' });
      });
      const { runner, heard } = startImports(interruptible(world, afterCall));
      await runner.runDue();
      expect(await heard(1)).toEqual(['active']);
      const now = await itemNow(world, item.id);
      expect(now.name).toMatch(calls.length >= number ? /^At sea\.(?:jpg|mp4)$/ : /^beach\.(?:jpg|mp4)$/);
      await collectGarbage(world);
      await expectActive(world, item.id, now.fullName);
      return calls;
    });
  });
});

test.each([
  ['other bytes', fileOf(JPEG), 'active'],
  ['nothing', { status: 404 }, 'failed'],
] as const)(
  'an import whose URL now serves %s keeps the object that is already under its key',
  async (_, answer, outcome) => {
    const { world, key } = await prepare(JPEG, 'beach.jpg');
    await leaveObject(world);
    const before = await bytesUnder(world, key);
    expect(before).not.toBeNull();
    const later = restarted(world);
    later.remoteFiles.serve(URL, answer);
    const { runner, heard } = startImports(later);
    await runner.runDue();
    expect(await heard(1)).toEqual([outcome]);
    expect(await bytesUnder(later, key)).toEqual(before);
    expect(await Array.fromAsync(later.trash.list())).toEqual([]);
  },
);

describe('a database that fails at the end of an import', () => {
  const lost = new Error('connection lost');

  test('leaves the import active if that status was written before the error', async () => {
    const { world, item, key } = await prepare(MP4, 'beach');
    const processing = replacing(world.processing, {
      async finish(...outcome) {
        await world.processing.finish(...outcome);
        throw lost;
      },
    });
    const { runner, heard } = startImports({ ...world, processing });
    await runner.runDue();
    expect(await heard(1)).toEqual(['fault']);
    await collectGarbage(world);
    await expectActive(world, item.id, key);
  });

  test('leaves the import to the next attempt if nothing was written', async () => {
    const { world, item, key } = await prepare(MP4, 'beach');
    let fails = true;
    const processing = replacing(world.processing, {
      finish: (...outcome) => (fails ? Promise.reject(lost) : world.processing.finish(...outcome)),
    });
    const { runner, heard } = startImports({ ...world, processing });
    await runner.runDue();
    expect(await heard(1)).toEqual(['fault']);
    fails = false;
    world.clock.advance(LEASE_TIME);
    await runner.runDue();
    expect(await heard(2)).toEqual(['fault', 'active']);
    await collectGarbage(world);
    await expectActive(world, item.id, key);
  });
});

/** Lets a worker publish the object, and kills it before it writes the row. */
async function leaveObject(world: World): Promise<void> {
  const killed = Promise.withResolvers<void>();
  const processing = replacing(world.processing, {
    finish() {
      killed.resolve();
      return new Promise<never>(() => undefined);
    },
  });
  const ports: Resources = { ...world, processing };
  await startImports(ports).runner.runDue();
  await killed.promise;
  world.clock.advance(LEASE_TIME);
}
