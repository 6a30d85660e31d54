import { describe, expect, test } from 'bun:test';
import { link, readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { openFileStorage } from '../../src/index.ts';
import { KEY, publishText, readText, stageText } from '../support/objects.ts';
import { withScratch } from '../support/scratch.ts';

const FIXTURE = join(import.meta.dir, '../fixtures/stage-and-wait.ts');
const HOUR = 60 * 60 * 1000;

describe('after kill -9', () => {
  test(
    'of a process that was staging, its bytes are never listed, and swept',
    withScratch(async (root) => {
      const storage = await openFileStorage(root);
      const child = Bun.spawn([process.execPath, FIXTURE, root], { stdin: 'pipe', stdout: 'pipe' });
      try {
        const { value } = await child.stdout.getReader().read();
        expect(new TextDecoder().decode(value)).toBe('written\n');
      } finally {
        child.kill('SIGKILL');
        await child.exited;
      }
      const [left = '', ...more] = await readdir(join(root, '.staging'));
      expect(more).toEqual([]);
      expect(Bun.file(join(root, '.staging', left)).size).toBe(100_000);
      expect(await Array.fromAsync(storage.list())).toEqual([]);
      expect(await storage.sweepStaging(Date.now() - HOUR)).toBe(0);
      expect(await storage.sweepStaging(Date.now() + HOUR)).toBe(1);
      expect(await readdir(join(root, '.staging'))).toEqual([]);
    }),
  );

  test(
    'between link and unlink, the object is there whole and its second name is swept',
    withScratch(async (root) => {
      const storage = await openFileStorage(root);
      await publishText(storage, KEY, 'whole');
      await link(join(root, KEY), join(root, '.staging/second-name'));
      expect(await storage.sweepStaging(Date.now() + HOUR)).toBe(1);
      expect(await readText(storage, KEY)).toBe('whole');
    }),
  );

  test(
    'between making the directories and link, the key can still be published to',
    withScratch(async (root) => {
      const storage = await openFileStorage(root);
      const other = KEY.replace('photo.jpg', 'other.jpg');
      await publishText(storage, other, 'made the directories');
      const staged = await stageText(storage, 'bytes');
      await staged.publish(KEY);
      expect(await readText(storage, KEY)).toBe('bytes');
    }),
  );
});
