import { expect } from 'bun:test';
import { join } from 'node:path';
import { testsThatNeed } from '@postshelf/testing/programs';
import { ITEM, KEY, openFileStorage, WORKSPACE } from '../../support/objects.ts';
import { requireOrder, traceCalls, whileEarlySyncFails, whileSyncFails } from '../../support/processes.ts';
import { testInScratch, withScratch } from '../../support/scratch.ts';
import { stagedFiles } from '../../support/staging.ts';

const { describe, test } = testsThatNeed(['strace'], 'the order of system calls that store an object');

const REFUSED = JSON.stringify({ code: 'unavailable', message: 'The storage is unavailable.' });

describe('publishing and removing an object', () => {
  testInScratch(
    'syncs the file before naming it, its directories before unstaging it, and again after a removal',
    async (scratch) => {
      const root = join(scratch, 'new/root');
      const { indexOf, synced } = await traceCalls(join(scratch, 'trace'), 'publish-and-remove', root);
      const [staging, item] = [`${root}/.staging/`, `${root}/${WORKSPACE}/${ITEM}`];
      const linked = indexOf('link', staging);
      const discarded = indexOf('unlink', staging);
      const emptied = indexOf('rmdir', item);
      requireOrder(linked, discarded, indexOf('unlink', `${root}/${KEY}`), emptied);
      expect(synced(0, linked).filter((path) => path.startsWith(staging))).toHaveLength(1);
      expect(synced(0, linked)).toEqual(expect.arrayContaining([scratch, join(scratch, 'new')]));
      expect(synced(linked, discarded)).toEqual(expect.arrayContaining([root, `${root}/${WORKSPACE}`, item]));
      expect(synced(emptied)).toContain(`${root}/${WORKSPACE}`);
      expect(indexOf('rename', '')).toBe(-1);
    },
  );

  testInScratch(
    'syncs bytes staged in memory and the directories before the staged name is removed',
    async (scratch) => {
      const root = join(scratch, 'root');
      const { indexOf, synced } = await traceCalls(join(scratch, 'trace'), 'publish-at-hand', root);
      const staging = `${root}/.staging/`;
      const [linked, discarded] = [indexOf('link', staging), indexOf('unlink', staging)];
      requireOrder(linked, discarded);
      const between = synced(linked, discarded);
      expect(between).toEqual(expect.arrayContaining([root, `${root}/${WORKSPACE}`, `${root}/${WORKSPACE}/${ITEM}`]));
      expect(between.filter((path) => path.startsWith(staging))).toHaveLength(1);
    },
  );

  test.each([
    ['publish', 'the file', []],
    ['publish', "the item's directory", [`${WORKSPACE}/${ITEM}`]],
    ['publish', "the workspace's directory", [WORKSPACE]],
    ['publish', 'the root', ['']],
    ['publish-at-hand', 'the file', []],
    ['publish-at-hand', 'the root', ['']],
  ])('%s leaves no object when %s cannot be synced', (command, _, failing) =>
    withScratch(async (root) => {
      const storage = await openFileStorage(root);
      const paths = failing.map((path) => join(root, path));
      expect(await whileSyncFails(paths, command, root)).toBe(REFUSED);
      expect(await storage.open(KEY)).toBeNull();
      expect(await stagedFiles(root)).toEqual([]);
    })(),
  );

  testInScratch('staging a large file leaves no file when an early sync reports a full disk', async (root) => {
    const full = JSON.stringify({ code: 'unavailable', message: 'The storage is full.' });
    expect(await whileEarlySyncFails('stage-large', root)).toBe(full);
    expect(await stagedFiles(root)).toEqual([]);
  });
});
