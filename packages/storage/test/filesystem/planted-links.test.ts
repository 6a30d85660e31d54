import { describe, expect, test } from 'bun:test';
import { lstat, mkdir, readdir, readFile, symlink, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import type { ObjectStorage } from '@postshelf/domain';
import { openFileStorage } from '../../src/index.ts';
import { ITEM, KEY, stageText, WORKSPACE } from '../support/objects.ts';
import { withScratch } from '../support/scratch.ts';

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

describe('a symbolic link in the staging directory', () => {
  test(
    'is not swept through, nor counted',
    withScratch(async (scratch) => {
      const storage = await openFileStorage(join(scratch, 'root'));
      await writeFile(join(scratch, 'outside'), 'secret');
      await symlink(join(scratch, 'outside'), join(scratch, 'root/.staging/link'));
      expect(await storage.sweepStaging(Date.now() + 60_000)).toBe(0);
      expect(await readFile(join(scratch, 'outside'), 'utf8')).toBe('secret');
    }),
  );
});
