import { describe, expect, test } from 'bun:test';
import { mkdir, readdir, rename, rm, stat, symlink, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { parseUuid, type StorageMark, UnreadableMark } from '@postshelf/domain';
import { refusalOf } from '@postshelf/testing/contracts/refusals';
import { thrownBy } from '@postshelf/testing/outcomes';
import { fileMarker } from '../../../src/index.ts';
import { openFileStorage } from '../../support/objects.ts';
import { testInScratch, withScratch } from '../../support/scratch.ts';

const MARK: StorageMark = {
  library: parseUuid('01890a5d-ac96-774b-bcce-b302099a8057'),
  generation: 7,
  restoring: null,
};

describe('the mark in a directory', () => {
  testInScratch('is read without creating anything, not even the directory', async (directory) => {
    expect(await fileMarker(join(directory, 'media')).read()).toBeNull();
    expect(await readdir(directory)).toEqual([]);
  });

  testInScratch('is accessible only for its owner and not listed as an object', async (directory) => {
    const storage = await openFileStorage(directory);
    await fileMarker(directory).write(MARK);
    expect((await stat(join(directory, '.library'))).mode & 0o777).toBe(0o600);
    expect(await Array.fromAsync(storage.list())).toEqual([]);
  });

  test.each([
    ['a link', (path: string) => symlink('/etc/hostname', path)],
    ['a folder', (path: string) => mkdir(path)],
  ])('is unreadable if %s is in its place', (_, plant) =>
    withScratch(async (directory) => {
      await plant(join(directory, '.library'));
      expect(await thrownBy(fileMarker(directory).read())).toBeInstanceOf(UnreadableMark);
    })(),
  );

  testInScratch('is not written while another caller replaces it', async (directory) => {
    const marker = fileMarker(directory);
    await marker.write(MARK);
    await writeFile(join(directory, '.library.next'), '');
    const adopted = { ...MARK, fence: 'adopted' };
    const writing = marker.write(adopted);
    for (let look = 0; look < 50; look += 1) expect(await marker.read()).toEqual(MARK);
    await rename(join(directory, '.library.next'), join(directory, 'gone'));
    await writing;
    expect(await marker.read()).toEqual(adopted);
  });

  testInScratch('is not written if the directory is missing', async (directory) => {
    await rm(directory, { recursive: true });
    expect(await refusalOf(fileMarker(directory).write(MARK))).toMatchObject({ code: 'unavailable' });
  });
});
