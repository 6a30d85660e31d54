import { describe, expect, test } from 'bun:test';
import { chmod, link, mkdir, readdir, rm, rmdir, utimes, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { unless } from '../../../src/filesystem/disk/failures.ts';
import { nameOfOwner } from '../../../src/filesystem/staging/staging-owner.ts';
import { sweep } from '../../../src/filesystem/staging/sweep.ts';
import { openFileStorage } from '../../../src/index.ts';
import { HOUR, KEY, publishText, readText, stageText } from '../../support/objects.ts';
import { testInScratch, withScratch } from '../../support/scratch.ts';
import { ownDirectory, ownProcess, stagedFiles, stagingEntries, tellsWhoLives } from '../../support/staging.ts';

/** Seconds after the epoch at which the old files were written. */
const OLD = 1_000_000;

/** A directory of that name in the staging area, with an old file and a new one, as old as the old one. */
async function forge(root: string, name: string): Promise<void> {
  const directory = join(root, '.staging', name);
  await mkdir(directory);
  await writeFile(join(directory, 'new'), 'bytes');
  await writeFile(join(directory, 'old'), 'bytes');
  await utimes(join(directory, 'old'), OLD, OLD);
  await utimes(directory, OLD, OLD);
}

describe.skipIf(!tellsWhoLives)('the directory of a run (needs /proc)', () => {
  testInScratch('that is dead goes at once, with new files: its id was given to another process', async (root) => {
    const storage = await openFileStorage(root);
    const self = await ownProcess();
    await forge(root, nameOfOwner({ ...self, started: String(Number(self.started) - 1) }));
    const freed: number[] = [];
    expect(await storage.sweepStaging(0, (bytes) => freed.push(bytes))).toBe(2);
    expect(freed).toEqual([5, 5]);
    expect(await stagingEntries(root)).toEqual([]);
  });

  testInScratch('from before this machine was booted goes at once', async (root) => {
    const self = { ...(await ownProcess()), machine: 'a'.repeat(32) };
    await openFileStorage(root);
    await forge(root, nameOfOwner({ ...self, boot: crypto.randomUUID() }));
    expect(await sweep(join(root, '.staging'), 0, self)).toBe(2);
    expect(await stagingEntries(root)).toEqual([]);
  });

  testInScratch('that lives stays, however old it is and what is in it', async (root) => {
    const storage = await openFileStorage(root);
    const staged = await stageText(storage, 'bytes');
    await utimes(staged.path ?? '', OLD, OLD);
    await utimes(await ownDirectory(root), OLD, OLD);
    expect(await storage.sweepStaging(Date.now() + HOUR)).toBe(0);
    await staged.publish(KEY);
    await staged.discard();
    expect(await storage.sweepStaging(Date.now() + HOUR)).toBe(0);
    expect(await readText(storage, KEY)).toBe('bytes');
  });

  test.each(['another machine', 'another container'])('in %s is removed by age', (where) =>
    withScratch(async (root) => {
      const storage = await openFileStorage(root);
      const self = await ownProcess();
      const foreign =
        where === 'another machine'
          ? { ...self, machine: 'f'.repeat(32), boot: crypto.randomUUID() }
          : { ...self, namespace: '1' };
      await expectByTime(root, nameOfOwner(foreign), (before) => storage.sweepStaging(before));
    })(),
  );
});

describe('what no process owns for certain', () => {
  testInScratch('goes by time: an unknown directory', async (root) => {
    const storage = await openFileStorage(root);
    await expectByTime(root, 'anybody', (before) => storage.sweepStaging(before));
  });

  testInScratch('goes by time where nobody knows who lives: the own directory', async (root) => {
    await openFileStorage(root);
    const staging = join(root, '.staging');
    await expectByTime(root, crypto.randomUUID(), (before) => sweep(staging, before, null));
  });

  testInScratch('goes by time, to the millisecond: a file that stands in no directory', async (root) => {
    const storage = await openFileStorage(root);
    for (const [name, seconds] of [
      ['old', OLD],
      ['new', OLD + 1],
    ] as const) {
      await writeFile(join(root, '.staging', name), '');
      await utimes(join(root, '.staging', name), seconds, seconds);
    }
    expect(await storage.sweepStaging((OLD + 1) * 1000)).toBe(1);
    expect(await stagingEntries(root)).toEqual(['new']);
  });

  testInScratch('is not counted when it is the second name of an object', async (root) => {
    const storage = await openFileStorage(root);
    await publishText(storage, KEY, 'whole');
    await link(join(root, KEY), join(root, '.staging/second-name'));
    expect(await storage.sweepStaging(Date.now() + HOUR)).toBe(0);
    expect(await Array.fromAsync(storage.list())).toMatchObject([{ key: KEY, isSettled: true }]);
    expect(await readText(storage, KEY)).toBe('whole');
  });

  testInScratch('stays when it is no file: a directory in a directory', async (root) => {
    const storage = await openFileStorage(root);
    await mkdir(join(root, '.staging/anybody/deep'), { recursive: true });
    expect(await storage.sweepStaging(Date.now() + HOUR)).toBe(0);
    expect(await readdir(join(root, '.staging/anybody'))).toEqual(['deep']);
  });
});

describe.skipIf(process.getuid?.() === 0)("another user's directory (root has no such thing)", () => {
  testInScratch('is passed by', async (root) => {
    const storage = await openFileStorage(root);
    await forge(root, 'a-closed');
    await forge(root, 'b-open');
    await chmod(join(root, '.staging/a-closed'), 0);
    expect(await storage.sweepStaging(Date.now() + HOUR)).toBe(2);
    expect(await stagingEntries(root)).toEqual(['a-closed']);
    await chmod(join(root, '.staging/a-closed'), 0o700);
  });
});

describe('two sweeps at once', () => {
  testInScratch('drop each thing once', async (root) => {
    const [one, two] = [await openFileStorage(root), await openFileStorage(root)];
    for (let count = 0; count < 20; count += 1) await forge(root, `anybody-${count}`);
    const dropped = await Promise.all([one, two].map((storage) => storage.sweepStaging(Date.now() + HOUR)));
    expect(dropped.reduce((sum, each) => sum + each)).toBe(40);
    expect(await stagingEntries(root)).toEqual([]);
  });
});

describe('the own directory, removed by another machine that considers this process dead', () => {
  testInScratch('is made again', async (root) => {
    const storage = await openFileStorage(root);
    for (let count = 0; count < 2; count += 1) {
      await publishText(storage, KEY.replace('photo', String(count)), 'bytes');
      await rm(await ownDirectory(root), { recursive: true });
    }
    await storage.check();
    expect(await Array.fromAsync(storage.list())).toHaveLength(2);
  });

  testInScratch('is made again while it is taken away', async (root) => {
    const storage = await openFileStorage(root);
    const directory = await ownDirectory(root);
    for (let count = 0; count < 50; count += 1) {
      const [staged] = await Promise.all([
        stageText(storage, 'bytes'),
        unless(['ENOENT', 'ENOTEMPTY'], rmdir(directory), null),
      ]);
      await staged.discard();
    }
    expect(await stagedFiles(root)).toEqual([]);
  });
});

/** Old files go, new ones stay with their directory; then they go, and it goes too. */
async function expectByTime(root: string, name: string, run: (before: number) => Promise<number>): Promise<void> {
  await forge(root, name);
  expect(await run(OLD * 1000)).toBe(0);
  expect(await run(OLD * 1000 + 1)).toBe(1);
  expect(await readdir(join(root, '.staging', name))).toEqual(['new']);
  expect(await run(Date.now() + HOUR)).toBe(1);
  expect(await stagingEntries(root)).toEqual([]);
}
