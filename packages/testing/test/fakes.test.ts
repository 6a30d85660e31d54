import { expect } from 'bun:test';
import type { MediaFacts, ObjectStorage } from '@postshelf/domain';
import { describeClock } from '../src/contracts/clock.ts';
import { describeCoverMaker } from '../src/contracts/covers/cover-maker.ts';
import { describeTrash } from '../src/contracts/garbage/trash.ts';
import { describeIds } from '../src/contracts/ids.ts';
import { describeRemoteFiles } from '../src/contracts/imports/remote-files.ts';
import { describeStorageMarker } from '../src/contracts/library/storage-marker.ts';
import { describeMediaInspector } from '../src/contracts/media/media-inspector.ts';
import { describeObjectStorage } from '../src/contracts/objects/object-storage.ts';
import { describePresignStorage } from '../src/contracts/presign-storage/presign-storage.ts';
import { describeTokenSigner } from '../src/contracts/tokens/token-signer.ts';
import {
  fakeClock,
  fakeCoverMaker,
  fakeFile,
  fakeInspector,
  fakeRemoteFiles,
  fakeSigner,
  memoryBacking,
  memoryMarker,
  memoryStorage,
  memoryTrash,
  memoryUploads,
  sequentialIds,
  serveUploads,
} from '../src/fakes/index.ts';
import type { MemoryMark } from '../src/fakes/memory-marker.ts';
import { sourceOf } from '../src/fixtures/byte-sources.ts';

// A fake that keeps its port's contract needs no test of its own.

const close = async (): Promise<void> => undefined;

describeClock('the fake', () => fakeClock());
describeIds('the sequence', () => sequentialIds(), fakeClock());
describeTokenSigner('the fake', (secret) => fakeSigner(secret, { now: Date.now }));

const image = (type: MediaFacts['type']): MediaFacts => ({ type, width: 40, height: 30, time: null });
const video = (type: MediaFacts['type']): MediaFacts => ({ type, width: 320, height: 240, time: 7 });
const VIDEOS = [video('video/mp4'), video('video/quicktime')];
const FACTS = [image('image/jpeg'), image('image/png'), image('image/gif'), image('image/webp'), ...VIDEOS];
const TEXT = { name: 'text', bytes: new TextEncoder().encode('Nothing but words, and more of them than a head.') };

describeMediaInspector('fake', fakeInspector, {
  readable: FACTS.map((facts) => ({ name: facts.type, facts, bytes: fakeFile(facts, 100) })),
  broken: FACTS.map((facts) => ({
    name: `${facts.type} without facts`,
    type: facts.type,
    bytes: Buffer.concat([fakeFile(facts).subarray(0, 12), new Uint8Array(100)]),
  })),
  other: [TEXT],
});

describeCoverMaker('fake', fakeCoverMaker, {
  videos: VIDEOS.map((facts) => ({
    name: facts.type,
    width: facts.width,
    height: facts.height,
    open: async () => sourceOf(fakeFile(facts)),
  })),
  others: [
    { name: 'an image', open: async () => sourceOf(fakeFile(image('image/png'))) },
    { name: 'text', open: async () => sourceOf(TEXT.bytes) },
  ],
});

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

/** Stages, publishes when there is a key, and never discards. */
async function abandon(storage: ObjectStorage, bytes: Uint8Array, key: string | null): Promise<void> {
  const staged = await storage.stage(new Blob([new Uint8Array(bytes)]).stream(), { limit: bytes.length });
  if (key !== null) await staged.publish(key);
}

describeObjectStorage('memory', { tellsWhoLives: true }, async () => {
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
