import { describe, expect } from 'bun:test';
import { join } from 'node:path';
import { canMount, runMounting } from '../../support/mounts.ts';
import { testInScratch } from '../../support/scratch.ts';

const FIXTURE = join(import.meta.dir, '../../fixtures/fill-disk.ts');

describe.skipIf(!canMount('a disk that is full or read-only'))(
  'a real disk (needs unshare and user namespaces)',
  () => {
    testInScratch('that is full or read-only makes the storage unavailable and leaves no file', async (root) => {
      const full = { code: 'unavailable', message: 'The storage is full.' };
      const unavailable = { code: 'unavailable', message: 'The storage is unavailable.' };
      expect(await runMounting(FIXTURE, root)).toEqual({
        full,
        fullUpload: full,
        left: [],
        afterwards: 'done',
        crammed: full,
        readOnly: {
          stage: unavailable,
          remove: unavailable,
          receive: unavailable,
          take: unavailable,
          removeUpload: unavailable,
          list: 1,
          discardAbandoned: 'done',
          check: unavailable,
          read: 'bytes',
        },
      });
    });
  },
);
