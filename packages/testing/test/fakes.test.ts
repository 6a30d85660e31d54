import { expect } from 'bun:test';
import type { ObjectStorage } from '@postshelf/domain';
import { describeTrash } from '../src/contracts/garbage/trash.ts';
import { describeRemoteFiles } from '../src/contracts/imports/remote-files.ts';
import { describeStorageMarker } from '../src/contracts/library/storage-marker.ts';
import { describeObjectStorage } from '../src/contracts/objects/object-storage.ts';
import { describePresignStorage } from '../src/contracts/presign-storage/presign-storage.ts';
import { describePreviewStorage } from '../src/contracts/previews/preview-storage.ts';
import {
  fakeRemoteFiles,
  memoryBacking,
  memoryMarker,
  memoryPreviews,
  memoryStorage,
  memoryTrash,
  memoryUploads,
  serveUploads,
} from '../src/fakes/index.ts';
import type { MemoryMark } from '../src/fakes/memory-marker.ts';

// Only fakes that are complex enough to be wrong are tested here, with the contract suites of their ports.

const close = async (): Promise<void> => undefined;

describeRemoteFiles('fake', async () => {
  const files = fakeRemoteFiles();
  let served = 0;
  const refusedUrl = 'https://router.test/';
  files.serve(refusedUrl, { kind: 'refused', message: 'The host router.test is not publicly reachable.' });
  return {
    files,
    serve: (answer) => {
      served += 1;
      const url = `https://files.test/${served}`;
      files.serve(url, answer);
      return url;
    },
    deadUrl: 'https://dead.test/',
    refusedUrl,
    allClosed: async () => expect(files.openFiles()).toBe(0),
    close,
  };
});

/** Stages the bytes, publishes them if there is a key, and never discards them. */
async function abandon(storage: ObjectStorage, bytes: Uint8Array, key: string | null): Promise<void> {
  const staged = await storage.stage(new Blob([new Uint8Array(bytes)]).stream(), { limit: bytes.length });
  if (key !== null) await staged.publish(key);
}

describeObjectStorage('memory', { detectsDeadProcesses: true }, async () => {
  const backing = memoryBacking();
  return {
    one: memoryStorage({ backing, process: 'one' }),
    two: memoryStorage({ backing, process: 'two' }),
    crash: async (bytes, key) => {
      await abandon(memoryStorage({ backing, process: 'another' }), bytes, key);
      backing.killed.add('another');
    },
    close,
  };
});

describePreviewStorage('memory', async () => {
  const previews = memoryPreviews();
  return { storage: memoryStorage(), one: previews, two: previews, close };
});

describeTrash('the memory trash', async () => {
  const backing = memoryBacking();
  return { storage: memoryStorage({ backing }), one: memoryTrash(backing), two: memoryTrash(backing), close };
});

describeStorageMarker('memory', async () => {
  const backing: MemoryMark = { mark: null };
  return {
    one: memoryMarker(backing),
    two: memoryMarker(backing),
    spoil: async () => {
      backing.mark = 'unreadable';
    },
    close,
  };
});

describePresignStorage('memory', async () => {
  const storage = memoryStorage();
  const { uploads: presign, close } = await serveUploads(async (urlOf) => memoryUploads({ storage, urlOf }));
  return { presign, storage, close };
});
