import { expect } from 'bun:test';
import { join } from 'node:path';
import type { Uuid } from '@postshelf/domain';
import { newId } from '@postshelf/testing/contracts/samples';
import { testsThatNeed } from '@postshelf/testing/programs';
import { requireOrder, traceCalls, whileSyncFails } from '../../support/processes.ts';
import { testInScratch, withScratch } from '../../support/scratch.ts';
import { stagedFiles } from '../../support/staging.ts';
import { keptNames, openUploads, receiveText, takeText, uploadFolder } from '../../support/uploads.ts';

const { describe, test } = testsThatNeed(['strace'], 'the order of system calls that receive a file');

const REFUSED = JSON.stringify({ code: 'unavailable', message: 'The storage is unavailable.' });

describe('receiving a file', () => {
  testInScratch('syncs the file, its name and the directories before removing the replaced file', async (scratch) => {
    const root = join(scratch, 'root');
    const id = await receiveText(await openUploads(root), 'before');
    const [before] = await keptNames(root, id);
    const folder = uploadFolder(root, id);
    const { indexOf, synced } = await traceCalls(join(scratch, 'trace'), 'receive', root, id);
    const linked = indexOf('link', `${root}/.staging/`);
    const dropped = indexOf('unlink', `${folder}/${before}`);
    requireOrder(linked, dropped);
    expect(synced(0, linked).filter((path) => path.startsWith(`${root}/.staging/`))).toHaveLength(1);
    expect(synced(linked, dropped).sort()).toEqual([root, `${root}/.uploads`, folder].sort());
    expect(indexOf('rename', '')).toBe(-1);
    expect(await takeText(await openUploads(root), id)).toBe('later');
  });

  test.each([
    ['the file', (): string[] => []],
    ["the id's directory", (root: string, id: Uuid) => [uploadFolder(root, id)]],
    ['the directory of uploads', (root: string) => [join(root, '.uploads')]],
  ])('fails when %s cannot be synced, and keeps the earlier file', (_, failing) =>
    withScratch(async (root) => {
      const uploads = await openUploads(root);
      for (const id of [await receiveText(uploads, 'before'), newId()]) {
        const before = await takeText(uploads, id);
        expect(await whileSyncFails(failing(root, id), 'receive', root, id)).toBe(REFUSED);
        expect(await takeText(uploads, id)).toBe(before);
        expect(await stagedFiles(root)).toEqual([]);
      }
    })(),
  );
});
