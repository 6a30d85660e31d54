import { expect } from 'bun:test';
import { rm } from 'node:fs/promises';
import { join } from 'node:path';
import { syncShared } from '../../../src/filesystem/disk/directory-syncs.ts';
import { testInScratch } from '../../support/scratch.ts';

testInScratch('who asks while a sync runs shares the next one, which begins after that', async (scratch) => {
  const first = syncShared(scratch);
  const late = [syncShared(scratch), syncShared(scratch)];
  expect(late[0]).toBe(late[1]);
  expect(late[0]).not.toBe(first);
  await Promise.all([first, ...late]);
  // Nothing is left of them: the next one is a sync of its own.
  const again = syncShared(scratch);
  expect(late).not.toContain(again);
  await again;
});

testInScratch(
  'a sync that fails fails for those who asked for it, and not for those who ask later',
  async (scratch) => {
    const path = join(scratch, 'gone');
    const failed = await Promise.allSettled([syncShared(path), syncShared(path)]);
    expect(failed.map(({ status }) => status)).toEqual(['rejected', 'rejected']);
    await Bun.write(join(path, 'file'), '');
    await syncShared(path);
    await rm(path, { recursive: true });
    await expect(syncShared(path)).rejects.toThrow('ENOENT');
  },
);
