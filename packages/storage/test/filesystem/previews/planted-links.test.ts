import { expect, test } from 'bun:test';
import { mkdir, readdir, readFile, symlink, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { parseUuid } from '@postshelf/domain';
import { outcomeOf } from '@postshelf/testing/outcomes';
import { openFiles } from '../../../src/index.ts';
import { ITEM, WORKSPACE } from '../../support/objects.ts';
import { testInScratch, withScratch } from '../../support/scratch.ts';

const [workspaceId, id] = [parseUuid(WORKSPACE), parseUuid(ITEM)];
if (!workspaceId || !id) throw new Error('Not UUIDs.');
const preview = { workspaceId, id, width: 320 };
const PATH = join('.previews', WORKSPACE, ITEM, '320.webp');

test.each([
  ['the previews', '.previews'],
  ['a workspace in them', `.previews/${WORKSPACE}`],
  ['an item in them', `.previews/${WORKSPACE}/${ITEM}`],
])('a symbolic link in place of %s is not followed by reading, writing, listing or removing', (_, place) =>
  withScratch(async (scratch) => {
    const [root, outside] = [join(scratch, 'root'), join(scratch, 'outside')];
    const { previews } = await openFiles(root);
    const secret = join(outside, PATH.slice(place.length + 1));
    for (const path of [secret, join(root, place)]) await mkdir(dirname(path), { recursive: true });
    await writeFile(secret, 'secret');
    await symlink(outside, join(root, place));
    expect(await previews.open(preview)).toBeNull();
    expect(await Array.fromAsync(previews.list())).toEqual([]);
    await previews.purge({ workspaceId, id });
    await previews.purge({ workspaceId });
    expect(await outcomeOf(previews.put(preview, new Uint8Array(1)))).toThrow();
    expect(await readFile(secret, 'utf8')).toBe('secret');
    expect(await readdir(dirname(secret))).toEqual(['320.webp']);
  })(),
);

testInScratch('files that are not previews stay, and their folders with them', async (root) => {
  const { previews } = await openFiles(root);
  await previews.put(preview, new Uint8Array(1));
  const foreign = [join(root, '.previews/notes.txt'), join(root, dirname(PATH), 'notes.txt')];
  for (const path of foreign) await writeFile(path, 'foreign');
  expect(await Array.fromAsync(previews.list())).toEqual([{ ...preview, size: 1 }]);
  await previews.purge({ workspaceId });
  expect(await Array.fromAsync(previews.list())).toEqual([]);
  for (const path of foreign) expect(await readFile(path, 'utf8')).toBe('foreign');
});
