import { describe, expect } from 'bun:test';
import { chmod, link, mkdir, readdir, rm, rmdir, utimes, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { withFallback } from '../../../src/filesystem/disk/failures.ts';
import { SILENCE } from '../../../src/filesystem/staging/discard-abandoned.ts';
import { HOUR, KEY, openStreaming, publishText, readText, stageText } from '../../support/objects.ts';
import { testInScratch } from '../../support/scratch.ts';
import { ownDirectory, stagedFiles, stagingEntries } from '../../support/staging.ts';

/** The time at which the old files were written, in seconds since the epoch. */
const OLD = 1_000_000;

/** Creates a directory in the staging area, with an old and a new file; the directory itself is old. */
async function forge(root: string, name: string): Promise<void> {
  const directory = join(root, '.staging', name);
  await mkdir(directory);
  await writeFile(join(directory, 'new'), 'bytes');
  await writeFile(join(directory, 'old'), 'bytes');
  await utimes(join(directory, 'old'), OLD, OLD);
  await utimes(directory, OLD, OLD);
}

describe('the staging directory of a process', () => {
  testInScratch('is removed with its new files after a minute of silence', async (root) => {
    const storage = await openStreaming(root);
    const name = crypto.randomUUID();
    await forge(root, name);
    const silent = (seconds: number) =>
      utimes(join(root, '.staging', name), Date.now() / 1000, Date.now() / 1000 - seconds);
    const freed: number[] = [];
    await silent(SILENCE / 1000 - 5);
    expect(await storage.discardAbandoned(Date.now() + HOUR)).toBe(0);
    await silent(SILENCE / 1000 + 5);
    expect(await storage.discardAbandoned(0, (bytes) => freed.push(bytes))).toBe(2);
    expect(freed).toEqual([5, 5]);
    expect(await stagingEntries(root)).toEqual([]);
  });

  testInScratch('stays while the process is alive, however old it and its files are', async (root) => {
    const storage = await openStreaming(root);
    const staged = await stageText(storage, 'bytes');
    await utimes(staged.path ?? '', OLD, OLD);
    await utimes(ownDirectory(root), OLD, OLD);
    expect(await storage.discardAbandoned(Date.now() + HOUR)).toBe(0);
    await staged.publish(KEY);
    await staged.discard();
    expect(await storage.discardAbandoned(Date.now() + HOUR)).toBe(0);
    expect(await readText(storage, KEY)).toBe('bytes');
  });
});

describe('staged files without a known owner', () => {
  testInScratch('in a directory with an unknown name are removed by age', async (root) => {
    const storage = await openStreaming(root);
    await expectByTime(root, 'anybody', (before) => storage.discardAbandoned(before));
  });

  testInScratch('outside any directory are removed by age, to the millisecond', async (root) => {
    const storage = await openStreaming(root);
    for (const [name, seconds] of [
      ['old', OLD],
      ['new', OLD + 1],
    ] as const) {
      await writeFile(join(root, '.staging', name), '');
      await utimes(join(root, '.staging', name), seconds, seconds);
    }
    expect(await storage.discardAbandoned((OLD + 1) * 1000)).toBe(1);
    expect(await stagingEntries(root)).toEqual(['new']);
  });

  testInScratch('are not counted if they are second names of objects', async (root) => {
    const storage = await openStreaming(root);
    await publishText(storage, KEY, 'whole');
    await link(join(root, KEY), join(root, '.staging/second-name'));
    expect(await storage.discardAbandoned(Date.now() + HOUR)).toBe(0);
    expect(await Array.fromAsync(storage.list())).toMatchObject([{ key: KEY, isSettled: true }]);
    expect(await readText(storage, KEY)).toBe('whole');
  });

  testInScratch('do not include nested directories, which stay', async (root) => {
    const storage = await openStreaming(root);
    await mkdir(join(root, '.staging/anybody/deep'), { recursive: true });
    expect(await storage.discardAbandoned(Date.now() + HOUR)).toBe(0);
    expect(await readdir(join(root, '.staging/anybody'))).toEqual(['deep']);
  });
});

describe.skipIf(process.getuid?.() === 0)(
  'another user’s staging directory (skipped as root, who can open every directory)',
  () => {
    testInScratch('is skipped', async (root) => {
      const storage = await openStreaming(root);
      await forge(root, 'a-closed');
      await forge(root, 'b-open');
      await chmod(join(root, '.staging/a-closed'), 0);
      expect(await storage.discardAbandoned(Date.now() + HOUR)).toBe(2);
      expect(await stagingEntries(root)).toEqual(['a-closed']);
      await chmod(join(root, '.staging/a-closed'), 0o700);
    });
  },
);

describe('two concurrent calls', () => {
  testInScratch('remove and count each file once', async (root) => {
    const [one, two] = [await openStreaming(root), await openStreaming(root)];
    for (let count = 0; count < 20; count += 1) await forge(root, `anybody-${count}`);
    const discarded = await Promise.all([one, two].map((storage) => storage.discardAbandoned(Date.now() + HOUR)));
    expect(discarded.reduce((sum, each) => sum + each)).toBe(40);
    expect(await stagingEntries(root)).toEqual([]);
  });
});

describe('the staging directory of a living process, removed by a process that considers it dead,', () => {
  testInScratch('is created again', async (root) => {
    const storage = await openStreaming(root);
    for (let count = 0; count < 2; count += 1) {
      await publishText(storage, KEY.replace('photo', String(count)), 'bytes');
      await rm(ownDirectory(root), { recursive: true });
    }
    await storage.check();
    expect(await Array.fromAsync(storage.list())).toHaveLength(2);
  });

  testInScratch('is created again even while it is being removed', async (root) => {
    const storage = await openStreaming(root);
    const directory = ownDirectory(root);
    for (let count = 0; count < 50; count += 1) {
      const [staged] = await Promise.all([
        stageText(storage, 'bytes'),
        withFallback(['ENOENT', 'ENOTEMPTY'], rmdir(directory), null),
      ]);
      await staged.discard();
    }
    expect(await stagedFiles(root)).toEqual([]);
  });
});

/** Expects a first call to discard only the old file, and a later call to discard the new file and the directory. */
async function expectByTime(root: string, name: string, run: (before: number) => Promise<number>): Promise<void> {
  await forge(root, name);
  expect(await run(OLD * 1000)).toBe(0);
  expect(await run(OLD * 1000 + 1)).toBe(1);
  expect(await readdir(join(root, '.staging', name))).toEqual(['new']);
  expect(await run(Date.now() + HOUR)).toBe(1);
  expect(await stagingEntries(root)).toEqual([]);
}
