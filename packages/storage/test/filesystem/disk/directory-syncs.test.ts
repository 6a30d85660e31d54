import { expect } from 'bun:test';
import { rm } from 'node:fs/promises';
import { join } from 'node:path';
import { outcomeOf } from '@postshelf/testing/outcomes';
import { syncShared } from '../../../src/filesystem/disk/directory-syncs.ts';
import { testInScratch } from '../../support/scratch.ts';

testInScratch('callers during a directory sync share the next sync', async (scratch) => {
  const first = syncShared(scratch);
  const late = [syncShared(scratch), syncShared(scratch)];
  expect(late[0]).toBe(late[1]);
  expect(late[0]).not.toBe(first);
  await Promise.all([first, ...late]);
  // A sync that has ended isn't shared any more, so this is a new one.
  const again = syncShared(scratch);
  expect(late).not.toContain(again);
  await again;
});

testInScratch(
  'a failed directory sync fails for the callers that share it, but not for later ones',
  async (scratch) => {
    const path = join(scratch, 'gone');
    const failed = await Promise.allSettled([syncShared(path), syncShared(path)]);
    expect(failed.map(({ status }) => status)).toEqual(['rejected', 'rejected']);
    await Bun.write(join(path, 'file'), '');
    await syncShared(path);
    await rm(path, { recursive: true });
    expect(await outcomeOf(syncShared(path))).toThrow('ENOENT');
  },
);
