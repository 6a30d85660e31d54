import { describe, expect, test } from 'bun:test';
import { mkdir, readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { UnusableName } from '@postshelf/domain';
import { thrownBy } from '@postshelf/testing/outcomes';
import {
  ITEM,
  KEY,
  openFileStorage,
  openStreaming,
  publishText,
  readText,
  stageText,
  WORKSPACE,
} from '../../support/objects.ts';
import { withScratch } from '../../support/scratch.ts';

/** Bytes of the root's path: with a name of 255 bytes, the path of an object exceeds Linux' limit of 4,096. */
const ROOT_LENGTH = 3_900;

/** Creates a folder with a path of this many bytes, below the given one. */
async function deepFolder(directory: string): Promise<string> {
  let path = directory;
  while (path.length < ROOT_LENGTH) path = join(path, 'd'.repeat(Math.min(200, ROOT_LENGTH - path.length)));
  await mkdir(path, { recursive: true });
  return path;
}

describe.skipIf(process.platform !== 'linux')('a name that the file system cannot have', () => {
  test.each([
    ['kept in memory', openFileStorage],
    ['in a file', openStreaming],
  ] as const)('is refused for bytes %s, which stay staged, and nothing is left of it', (_, open) =>
    withScratch(async (scratch) => {
      const root = await deepFolder(scratch);
      const storage = await open(root);
      const key = `${WORKSPACE}/${ITEM}/${'x'.repeat(251)}.jpg`;
      expect(await storage.open(key)).toBeNull();
      const staged = await stageText(storage, 'bytes');
      for (const put of [staged.publish, staged.replace]) {
        expect(await thrownBy(put(key))).toBeInstanceOf(UnusableName);
        expect(await readdir(join(root, WORKSPACE))).toEqual([]);
      }
      await staged.publish(KEY);
      await staged.discard();
      expect(await readText(storage, KEY)).toBe('bytes');
      await publishText(storage, KEY.replace('photo', 'x'.repeat(100)), 'other');
    })(),
  );
});
