import { describe, expect, test } from 'bun:test';
import { join } from 'node:path';
import { openFileStorage } from '../../../src/index.ts';
import { ITEM, KEY, WORKSPACE } from '../../support/objects.ts';
import { withScratch } from '../../support/scratch.ts';
import { stagedFiles } from '../../support/staging.ts';
import { runTraced, strace } from '../../support/strace.ts';

const FIXTURE = join(import.meta.dir, '../../fixtures/publish-and-tell.ts');
const REFUSED = JSON.stringify({ code: 'unavailable', message: 'The storage is unavailable.' });

describe.skipIf(!strace)('a disk that fails to sync (needs strace on PATH)', () => {
  test.each([
    ['the file', []],
    ['the directory of the item', [`${WORKSPACE}/${ITEM}`]],
    ['the directory of the workspace', [WORKSPACE]],
    ['the root', ['']],
  ])('%s: nothing is published, and nothing is left', (_, failing) =>
    withScratch(async (root) => {
      const storage = await openFileStorage(root);
      const paths = failing.flatMap((path) => ['-P', join(root, path)]);
      const inject = ['-o', '/dev/null', '-e', 'trace=fsync', '-e', 'inject=fsync:error=EIO', ...paths];
      expect(await runTraced(inject, FIXTURE, root)).toBe(REFUSED);
      expect(await storage.open(KEY)).toBeNull();
      expect(await stagedFiles(root)).toEqual([]);
    })(),
  );
});
