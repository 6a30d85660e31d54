import { mkdir, rm, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { describeTrash } from '@postshelf/testing/contracts/garbage/trash';
import { describeSource } from '@postshelf/testing/contracts/intake/source';
import { describeStorageMarker } from '@postshelf/testing/contracts/library/storage-marker';
import { describeObjectStorage } from '@postshelf/testing/contracts/objects/object-storage';
import { describePresignStorage } from '@postshelf/testing/contracts/presign-storage/presign-storage';
import { describePreviewStorage } from '@postshelf/testing/contracts/previews/preview-storage';
import { describeResumableStorage } from '@postshelf/testing/contracts/resumable/resumable-storage';
import { serveUploads } from '@postshelf/testing/fakes';
import { openFilePresignStorage, openFiles, openFolderSource } from '../../src/index.ts';
import { openFileStorage, openStreaming } from '../support/objects.ts';
import { crash } from '../support/processes.ts';
import { makeScratch } from '../support/scratch.ts';
import { SECRET } from '../support/uploads.ts';

for (const [what, open] of [
  ['with bodies in memory', openFileStorage],
  ['with bodies in files', openStreaming],
] as const) {
  describeObjectStorage(`the file system ${what}`, { detectsDeadProcesses: true }, async () => {
    const { directory, remove } = await makeScratch();
    return {
      one: await open(directory),
      two: await open(directory),
      crash: (bytes, key) => crash(directory, bytes, key),
      close: remove,
    };
  });
}

describeTrash('the file system', async () => {
  const { directory, remove } = await makeScratch();
  const [one, two] = [await openFiles(directory), await openFiles(directory)];
  return { storage: one.storage, one: one.trash, two: two.trash, close: remove };
});

describeSource('a folder', async () => {
  const { directory, remove } = await makeScratch();
  return {
    source: await openFolderSource(directory),
    put: async (path, bytes) => {
      await mkdir(dirname(join(directory, path)), { recursive: true });
      await writeFile(join(directory, path), bytes);
    },
    remove: (path) => rm(join(directory, path)),
    close: remove,
  };
});

describePreviewStorage('the file system', async () => {
  const { directory, remove } = await makeScratch();
  const [one, two] = [await openFiles(directory), await openFiles(directory)];
  return { storage: one.storage, one: one.previews, two: two.previews, close: remove };
});

describePresignStorage('the file system', async () => {
  const { directory, remove } = await makeScratch();
  const clock = { now: Date.now, elapsed: () => performance.now() };
  const served = await serveUploads((urlOf) => openFilePresignStorage(directory, { secret: SECRET, urlOf, clock }));
  return {
    presign: served.uploads,
    storage: await openFileStorage(directory),
    close: async () => {
      await served.close();
      await remove();
    },
  };
});

describeResumableStorage('the file system', async () => {
  const { directory, remove } = await makeScratch();
  const clock = { now: Date.now, elapsed: () => performance.now() };
  const [one, two] = [await openFiles(directory), await openFiles(directory)];
  return {
    one: one.resumable,
    two: two.resumable,
    presign: await openFilePresignStorage(directory, { secret: SECRET, urlOf: (id) => id, clock }),
    storage: one.storage,
    close: remove,
  };
});

describeStorageMarker('the file system', async () => {
  const { directory, remove } = await makeScratch();
  const [one, two] = [await openFiles(directory), await openFiles(directory)];
  return {
    one: one.marker,
    two: two.marker,
    spoil: (bytes) => writeFile(join(directory, '.library'), bytes),
    close: remove,
  };
});
