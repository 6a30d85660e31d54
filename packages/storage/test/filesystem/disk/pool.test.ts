import { describe, expect } from 'bun:test';
import { join } from 'node:path';
import { canMount, runMounting } from '../../support/mounts.ts';
import { KEY } from '../../support/objects.ts';
import { testInScratch } from '../../support/scratch.ts';

const FIXTURE = join(import.meta.dir, '../../fixtures/pool.ts');

describe.skipIf(!canMount('a pool of disks'))('a pool of disks (needs unshare and user namespaces)', () => {
  for (const [where, gathered] of [
    ['memory', '1000'],
    ['a file', '-1'],
  ] as const) {
    testInScratch(`keeps objects that were staged in ${where} on another disk`, async (root) => {
      const name = KEY.replace(/.*\//, '');
      expect(await runMounting(FIXTURE, root, gathered)).toEqual({
        publish: 'done',
        again: 'Error: An object with this key exists already.',
        published: ['bytes', [name]],
        replace: 'done',
        add: true,
        trashed: [null, [name]],
        restore: 'restored',
        restored: ['other', [name]],
        inTrash: [],
        left: [],
      });
    });
  }
});
