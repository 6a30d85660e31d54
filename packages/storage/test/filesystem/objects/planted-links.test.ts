import { describe, expect, test } from 'bun:test';
import { lstat, mkdir, readdir, readFile, symlink, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { outcomeOf } from '@postshelf/testing/outcomes';
import { readFileStorage } from '../../../src/index.ts';
import { ITEM, KEY, openStreaming, stageText, WORKSPACE } from '../../support/objects.ts';
import { testInScratch, withScratch } from '../../support/scratch.ts';
import { ownDirectory } from '../../support/staging.ts';

const LATER = Date.now() + 60_000;

test.each([
  ['the workspace directory', WORKSPACE, 'outside'],
  ['the item directory', `${WORKSPACE}/${ITEM}`, `outside/${ITEM}`],
  ['the file', KEY, `outside/${ITEM}/photo.jpg`],
])('a symbolic link in place of %s is not followed by reading, listing, removing or publishing', (_, place, target) =>
  withScratch(async (scratch) => {
    const root = join(scratch, 'root');
    const storage = await openStreaming(root);
    const outside = join(scratch, 'outside', ITEM);
    const link = join(root, place);
    for (const directory of [outside, dirname(link)]) await mkdir(directory, { recursive: true });
    await writeFile(join(outside, 'photo.jpg'), 'secret');
    await symlink(join(scratch, target), link);

    expect(await storage.open(KEY)).toBeNull();
    expect(await (await readFileStorage(root)).open(KEY)).toBeNull();
    expect(await Array.fromAsync(storage.list())).toEqual([]);
    await storage.purge(KEY);
    for (const key of place === KEY ? [KEY] : [KEY, KEY.replace('photo.jpg', 'other.jpg')]) {
      const staged = await stageText(storage, 'mine');
      expect(await outcomeOf(staged.publish(key))).toThrow();
      await staged.discard();
    }
    expect(await readdir(outside)).toEqual(['photo.jpg']);
    expect(await readFile(join(outside, 'photo.jpg'), 'utf8')).toBe('secret');
    expect((await lstat(link)).isSymbolicLink()).toBe(true);
  })(),
);

describe('a symbolic link in the staging area', () => {
  testInScratch('is neither followed nor counted when abandoned files are discarded', async (scratch) => {
    const storage = await openStreaming(join(scratch, 'root'));
    const [staging, outside] = [join(scratch, 'root/.staging'), join(scratch, 'outside')];
    for (const directory of [outside, join(staging, 'anybody')]) await mkdir(directory);
    await writeFile(join(outside, 'file'), 'secret');
    for (const name of ['link', 'anybody/link']) await symlink(join(outside, 'file'), join(staging, name));
    await symlink(outside, join(staging, 'directory'));
    await symlink(outside, join(staging, crypto.randomUUID()));
    expect(await storage.discardAbandoned(LATER)).toBe(0);
    expect(await readFile(join(outside, 'file'), 'utf8')).toBe('secret');
  });

  testInScratch('is not written through in place of this process’s own directory', async (scratch) => {
    const storage = await openStreaming(join(scratch, 'root'));
    await mkdir(join(scratch, 'outside'));
    await symlink(join(scratch, 'outside'), ownDirectory(join(scratch, 'root')));
    expect(await outcomeOf(stageText(storage, 'bytes'))).toThrow('must be a directory');
    expect(await readdir(join(scratch, 'outside'))).toEqual([]);
  });
});
