import { describe, expect, test } from 'bun:test';
import { lstat, mkdir, readdir, readFile, symlink, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import type { ObjectStorage } from '@postshelf/domain';
import { nameOfOwner } from '../../../src/filesystem/staging/staging-owner.ts';
import { openFileStorage } from '../../../src/index.ts';
import { ITEM, KEY, stageText, WORKSPACE } from '../../support/objects.ts';
import { withScratch } from '../../support/scratch.ts';
import { ownDirectory, ownRun, tellsWhoLives } from '../../support/staging.ts';

interface Planted {
  readonly storage: ObjectStorage;
  /** Outside the root, where the link leads. */
  readonly outside: string;
  readonly link: string;
}

/** Where the link is planted below the root, and what it leads to outside. */
const PLACES = [
  ['the workspace directory', WORKSPACE, `outside`],
  ['the item directory', `${WORKSPACE}/${ITEM}`, `outside/${ITEM}`],
  ['the file', KEY, `outside/${ITEM}/photo.jpg`],
] as const;

function planted(place: string, target: string, run: (planted: Planted) => Promise<void>): () => Promise<void> {
  return withScratch(async (scratch) => {
    const storage = await openFileStorage(join(scratch, 'root'));
    const outside = join(scratch, 'outside', ITEM);
    await mkdir(outside, { recursive: true });
    await writeFile(join(outside, 'photo.jpg'), 'secret');
    const link = join(scratch, 'root', place);
    await mkdir(dirname(link), { recursive: true });
    await symlink(join(scratch, target), link);
    await run({ storage, outside, link });
  });
}

describe.each(PLACES)('a symbolic link in the place of %s', (_, place, target) => {
  test(
    'is not read through',
    planted(place, target, async ({ storage }) => {
      expect(await storage.open(KEY)).toBeNull();
    }),
  );

  test(
    'is not listed',
    planted(place, target, async ({ storage }) => {
      expect(await Array.fromAsync(storage.list())).toEqual([]);
    }),
  );

  test(
    'is not removed through',
    planted(place, target, async ({ storage, outside, link }) => {
      await storage.remove(KEY);
      expect(await readFile(join(outside, 'photo.jpg'), 'utf8')).toBe('secret');
      expect((await lstat(link)).isSymbolicLink()).toBe(true);
    }),
  );

  test(
    'is not published through',
    planted(place, target, async ({ storage, outside }) => {
      for (const key of [KEY, KEY.replace('photo.jpg', 'other.jpg')]) {
        if (place === KEY && key !== KEY) continue;
        const staged = await stageText(storage, 'mine');
        await expect(staged.publish(key)).rejects.toThrow();
        await staged.discard();
      }
      expect(await readdir(outside)).toEqual(['photo.jpg']);
      expect(await readFile(join(outside, 'photo.jpg'), 'utf8')).toBe('secret');
    }),
  );
});

describe('a symbolic link in the staging area', () => {
  test(
    'is not swept through, nor counted',
    withScratch(async (scratch) => {
      const storage = await openFileStorage(join(scratch, 'root'));
      const staging = join(scratch, 'root/.staging');
      const outside = join(scratch, 'outside');
      await mkdir(outside);
      await writeFile(join(outside, 'file'), 'secret');
      await mkdir(join(staging, 'anybody'));
      await symlink(join(outside, 'file'), join(staging, 'link'));
      await symlink(join(outside, 'file'), join(staging, 'anybody/link'));
      await symlink(outside, join(staging, 'directory'));
      expect(await storage.sweepStaging(Date.now() + 60_000)).toBe(0);
      expect(await readFile(join(outside, 'file'), 'utf8')).toBe('secret');
    }),
  );

  test.skipIf(!tellsWhoLives)(
    'under the name of a dead process is not swept through either',
    withScratch(async (scratch) => {
      const storage = await openFileStorage(join(scratch, 'root'));
      await mkdir(join(scratch, 'outside'));
      await writeFile(join(scratch, 'outside/file'), 'secret');
      const link = join(scratch, 'root/.staging', nameOfOwner({ ...(await ownRun()), started: '1' }));
      await symlink(join(scratch, 'outside'), link);
      expect(await storage.sweepStaging(0)).toBe(0);
      expect(await readFile(join(scratch, 'outside/file'), 'utf8')).toBe('secret');
    }),
  );

  test(
    'in the place of the own directory is not written through',
    withScratch(async (scratch) => {
      const storage = await openFileStorage(join(scratch, 'root'));
      await mkdir(join(scratch, 'outside'));
      await symlink(join(scratch, 'outside'), await ownDirectory(join(scratch, 'root')));
      await expect(stageText(storage, 'bytes')).rejects.toThrow('must be a directory');
      expect(await readdir(join(scratch, 'outside'))).toEqual([]);
    }),
  );
});
