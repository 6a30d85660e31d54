import { beforeEach, describe, expect, test } from 'bun:test';
import {
  IMPORT_TOO_LARGE,
  IMPORT_WRONG_TYPE,
  MAX_AWAITED_IMAGE_BYTES,
  MAX_IMPORT_BYTES,
  type MediaWithCover,
  type Workspace,
} from '@postshelf/domain';
import { addFolder, newId } from '@postshelf/testing';
import { deleteFolder, type ImportRequest, type Ports, startImport } from '../../src/index.ts';
import { BROKEN_JPEG, JPEG, MP4, TEXT } from '../support/files.ts';
import {
  fileOf,
  heldFile,
  importRequest,
  itemNow,
  itemsOf,
  never,
  nextTurn,
  RETRY_DELAYS,
  startWorker,
  type TestWorker,
  URL,
} from '../support/imports.ts';
import { bytesUnder, countStaged, publishedKeys } from '../support/objects.ts';
import { invalidOn, refusalOf, thrownBy } from '../support/refusals.ts';
import { changingStaged, keepingHeads, longBody } from '../support/storages.ts';
import { inhabitedWorld, replacing, type World } from '../support/world.ts';

const NO_FOLDER = invalidOn('folder_id', 'The selected folder id is invalid.');
const WRONG_TYPE = invalidOn('url', IMPORT_WRONG_TYPE);
const MINUTE = 60_000;

let world: World;
let workspace: Workspace;
/** A worker with room. */
let standard: TestWorker;

beforeEach(async () => {
  const inhabited = await inhabitedWorld();
  world = { ...inhabited, storage: keepingHeads(inhabited.storage) };
  workspace = inhabited.workspace;
  standard = startWorker(world);
});

interface Circumstances {
  readonly ports?: Ports;
  readonly worker?: TestWorker | null;
  readonly signal?: AbortSignal;
  readonly patience?: number;
  readonly retryDelays?: readonly number[];
}

function start(request: Partial<ImportRequest> = {}, given: Circumstances = {}): Promise<MediaWithCover> {
  const { ports = world, worker = standard, signal = never(), patience = MINUTE, retryDelays = RETRY_DELAYS } = given;
  const settings = { worker: worker?.worker ?? null, retryDelays, patience };
  return startImport(ports, settings, workspace, importRequest(request), signal);
}

const jobsNow = async (): Promise<number> => (await world.imports.depth()).jobs;

async function expectNothingLeft(): Promise<void> {
  expect(await itemsOf(world, workspace)).toEqual([]);
  expect(await jobsNow()).toBe(0);
  expect(await publishedKeys(world)).toEqual([]);
  expect(countStaged(world)).toBe(0);
  expect(world.remoteFiles.openFiles()).toBe(0);
}

/** The job as a worker finds it at that time; null when none is due. */
async function dueAt(now: number) {
  const lease = { owner: 'test', until: now + 1 };
  const [job] = await world.imports.claim({ now, lease, limit: 1, perWorkspace: 100 });
  return job ?? null;
}

describe('an image', () => {
  test('is active when the answer is given', async () => {
    const folder = await addFolder(world, workspace.id);
    world.remoteFiles.serve(URL, fileOf(JPEG, new Uint8Array(100)));
    const { item, cover } = await start({ label: 'Summer', folderId: folder.id });
    expect(item).toMatchObject({
      status: 'active',
      name: 'beach day.jpg',
      label: 'Summer',
      folderId: folder.id,
      fullName: `${workspace.id}/${item.id}/beach day.jpg`,
      content: { type: 'image/jpeg', size: JPEG.length + 100, width: 40, height: 30, time: null },
    });
    expect(cover).toBeNull();
    expect(await itemNow(world, item.id)).toEqual(item);
    expect(await publishedKeys(world)).toEqual([item.fullName]);
    expect(await jobsNow()).toBe(0);
    expect(countStaged(world)).toBe(0);
    expect(world.remoteFiles.openFiles()).toBe(0);
  });

  test('is called what was asked for', async () => {
    world.remoteFiles.serve(URL, fileOf(JPEG));
    expect((await start({ name: 'At sea.png' })).item.name).toBe('At sea.jpg');
  });

  test('of exactly 50 MB is awaited, announced or not', async () => {
    for (const announcedSize of [MAX_AWAITED_IMAGE_BYTES, null]) {
      const chunks = longBody(JPEG, MAX_AWAITED_IMAGE_BYTES);
      world.remoteFiles.serve(URL, { chunks, announcedSize, ending: 'whole' });
      expect((await start()).item.status).toBe('active');
    }
  });

  test('of more goes on behind the answer, over the same connection', async () => {
    for (const announcedSize of [MAX_AWAITED_IMAGE_BYTES + 1, null]) {
      const world = await inhabitedWorld();
      const ports = { ...world, storage: keepingHeads(world.storage) };
      const worker = startWorker(ports);
      const chunks = longBody(JPEG, MAX_AWAITED_IMAGE_BYTES + 1);
      world.remoteFiles.serve(URL, { chunks, announcedSize, ending: 'whole' });
      const settings = { worker: worker.worker, retryDelays: RETRY_DELAYS, patience: MINUTE };
      const { item } = await startImport(ports, settings, world.workspace, importRequest(), never());
      expect(item.status).toBe('processing');
      expect(await worker.heard(1)).toEqual(['active']);
      expect(await itemNow(world, item.id)).toMatchObject({ content: { size: MAX_AWAITED_IMAGE_BYTES + 1 } });
      expect(world.remoteFiles.asked).toEqual([URL]);
      expect(await publishedKeys(world)).toEqual([item.fullName]);
    }
  });

  test('that takes longer than the patience goes on behind the answer', async () => {
    const { file, release } = heldFile(JPEG, new Uint8Array(5));
    world.remoteFiles.serve(URL, file);
    const { item } = await start({}, { patience: 0 });
    expect(item.status).toBe('processing');
    release();
    expect(await standard.heard(1)).toEqual(['active']);
    expect(await itemNow(world, item.id)).toMatchObject({ status: 'active', content: { size: JPEG.length + 5 } });
    expect(world.remoteFiles.asked).toEqual([URL]);
  });

  test('that only begins as one is refused on url', async () => {
    world.remoteFiles.serve(URL, fileOf(BROKEN_JPEG));
    expect(await refusalOf(start())).toEqual(WRONG_TYPE);
    await expectNothingLeft();
  });
});

describe('a video', () => {
  test('is processing, and active with a cover in the end, over one connection', async () => {
    const { file, release } = heldFile(MP4, new Uint8Array(50));
    world.remoteFiles.serve(URL, file);
    const { item, cover } = await start({ label: 'Summer' });
    expect(item).toMatchObject({ status: 'processing', name: 'beach day.mp4', label: 'Summer' });
    expect(cover).toBeNull();
    expect(await itemNow(world, item.id)).toEqual(item);
    expect(await publishedKeys(world)).toEqual([]);

    release();
    expect(await standard.heard(1)).toEqual(['active']);
    const found = await world.media.find(item.id);
    expect(found?.item).toMatchObject({ status: 'active', fullName: item.fullName, content: { time: 75 } });
    expect(found?.cover).toMatchObject({ coverOf: item.id });
    expect(await bytesUnder(world, item.fullName)).toHaveLength(MP4.length + 50);
    expect(world.remoteFiles.asked).toEqual([URL]);
    expect(await jobsNow()).toBe(0);
    expect(countStaged(world)).toBe(0);
    expect(world.remoteFiles.openFiles()).toBe(0);
  });

  test('of exactly 2 GB is taken', async () => {
    const chunks = longBody(MP4, MAX_IMPORT_BYTES);
    world.remoteFiles.serve(URL, { chunks, announcedSize: MAX_IMPORT_BYTES, ending: 'whole' });
    const { item } = await start();
    expect(await standard.heard(1)).toEqual(['active']);
    expect(await itemNow(world, item.id)).toMatchObject({ content: { size: MAX_IMPORT_BYTES } });
  });

  test('that passes 2 GB on the way fails', async () => {
    const chunks = longBody(MP4, MAX_IMPORT_BYTES + 1);
    world.remoteFiles.serve(URL, { chunks, announcedSize: null, ending: 'whole' });
    const { item } = await start();
    expect(await standard.heard(1)).toEqual(['failed']);
    expect(await itemNow(world, item.id)).toMatchObject({ status: 'failed', errorMessage: IMPORT_TOO_LARGE });
    expect(await publishedKeys(world)).toEqual([]);
    expect(world.remoteFiles.openFiles()).toBe(0);
  });
});

describe('a file of any kind', () => {
  test('announced above 2 GB is refused as too large', async () => {
    for (const head of [JPEG, MP4, TEXT]) {
      world.remoteFiles.serve(URL, { ...fileOf(head), announcedSize: MAX_IMPORT_BYTES + 1 });
      expect(await refusalOf(start())).toEqual({ code: 'too_large', message: IMPORT_TOO_LARGE });
    }
    await expectNothingLeft();
  });

  test.each([
    ['a text', TEXT],
    ['nothing', new Uint8Array()],
    ['three bytes', JPEG.subarray(0, 3)],
  ])('that is none of the six types is refused on url: %s', async (_, bytes) => {
    world.remoteFiles.serve(URL, fileOf(bytes));
    expect(await refusalOf(start())).toEqual(WRONG_TYPE);
    await expectNothingLeft();
  });
});

describe('a URL against the rules', () => {
  test('is refused with its message', async () => {
    const message = 'The host router.example is not publicly reachable.';
    world.remoteFiles.serve(URL, { kind: 'refused', message });
    expect(await refusalOf(start())).toEqual(invalidOn('url', message));
    await expectNothingLeft();
  });
});

describe('what the other side does not deliver', () => {
  test.each([
    ['no such host', []],
    ['no answer', ['silent' as const]],
    ['a fault of its own', [{ status: 503 }]],
    ['nothing, and a broken connection', [{ ...fileOf(), announcedSize: null, ending: 'cut off' as const }]],
    ['an image cut off in its head', [{ ...fileOf(JPEG.subarray(0, 5)), ending: 'cut off' as const }]],
    ['an image cut off behind its head', [{ ...fileOf(JPEG), ending: 'cut off' as const }]],
    ['an image that stalls', [{ ...fileOf(JPEG), ending: 'stalled' as const }]],
  ])('is processing all the same, and tried again after a while: %s', async (_, answers) => {
    world.remoteFiles.serve(URL, ...answers);
    const { item } = await start();
    expect(item).toMatchObject({ status: 'processing', name: 'beach day' });
    expect(await itemNow(world, item.id)).toEqual(item);
    expect(world.remoteFiles.openFiles()).toBe(0);
    expect(countStaged(world)).toBe(0);
    const due = world.clock.now() + (RETRY_DELAYS[0] ?? 0);
    expect(await dueAt(due - 1)).toBeNull();
    expect(await dueAt(due)).toMatchObject({ mediaId: item.id, url: URL, attempts: 1 });
  });

  test('is answered as processing and failed a moment later when trying again is in vain', async () => {
    world.remoteFiles.serve(URL, { status: 404 });
    const { item } = await start();
    expect(item.status).toBe('processing');
    expect(await itemNow(world, item.id)).toMatchObject({
      status: 'failed',
      errorMessage: 'The server at files.example answered 404.',
    });
    expect(await jobsNow()).toBe(0);
  });

  test('is failed at once where nothing is tried twice', async () => {
    const { item } = await start({}, { retryDelays: [] });
    expect(await itemNow(world, item.id)).toMatchObject({
      status: 'failed',
      errorMessage: 'The host files.example was not found.',
    });
  });

  test('is called what was asked for, without an extension', async () => {
    expect((await start({ name: 'At sea.mp4' })).item.name).toBe('At sea');
  });
});

describe('a video nobody in this process goes on with', () => {
  async function expectLeftToQueue(worker: TestWorker | null): Promise<void> {
    world.remoteFiles.serve(URL, fileOf(MP4));
    const openBefore = world.remoteFiles.openFiles();
    const { item } = await start({}, { worker });
    expect(item.status).toBe('processing');
    expect(world.remoteFiles.openFiles()).toBe(openBefore);
    expect(countStaged(world)).toBe(0);
    expect(await dueAt(world.clock.now())).toMatchObject({ mediaId: item.id, url: URL, attempts: 0, claims: 1 });
  }

  test('is left to the queue, due at once: a process without a worker', () => expectLeftToQueue(null));

  test('is left to the queue: a worker that stops', async () => {
    await standard.worker.stop();
    await expectLeftToQueue(standard);
  });

  test('is left to the queue: a worker that is full', async () => {
    const full = startWorker(world, { concurrency: 1 });
    const { file, release } = heldFile(MP4, new Uint8Array(1));
    world.remoteFiles.serve('https://files.example/first', file);
    await start({ url: 'https://files.example/first' }, { worker: full });
    await expectLeftToQueue(full);
    release();
    await full.heard(1);
  });

  test('is left to the queue: a worker that has enough of this workspace', async () => {
    const busy = startWorker(world, { perWorkspace: 1 });
    const { file, release } = heldFile(MP4, new Uint8Array(1));
    world.remoteFiles.serve('https://files.example/first', file);
    await start({ url: 'https://files.example/first' }, { worker: busy });
    await expectLeftToQueue(busy);
    release();
    await busy.heard(1);
  });

  test('is left to the queue with an image that was begun', async () => {
    const { file } = heldFile(JPEG, new Uint8Array(1));
    world.remoteFiles.serve(URL, file);
    const { item } = await start({}, { worker: null, patience: 0 });
    expect(item).toMatchObject({ status: 'processing', name: 'beach day.jpg' });
    expect(world.remoteFiles.openFiles()).toBe(0);
    expect(countStaged(world)).toBe(0);
    expect(await dueAt(world.clock.now())).toMatchObject({ mediaId: item.id });
  });
});

test('requests at once hand over no more than there is room for', async () => {
  const small = startWorker(world, { concurrency: 2, perWorkspace: 10 });
  const held = Array.from({ length: 6 }, () => heldFile(MP4, new Uint8Array(1)));
  const urls = held.map(({ file }, index) => {
    const url = `https://files.example/${index}`;
    world.remoteFiles.serve(url, file);
    return url;
  });
  await Promise.all(urls.map((url) => start({ url }, { worker: small })));
  await nextTurn();
  expect(world.remoteFiles.openFiles()).toBe(2);
  for (const { release } of held) release();
  expect(await small.heard(2)).toEqual(['active', 'active']);
  expect(await jobsNow()).toBe(4);
});

describe('the folder', () => {
  test('is asked for before the URL is', async () => {
    expect(await refusalOf(start({ folderId: newId() }))).toEqual(NO_FOLDER);
    expect(world.remoteFiles.asked).toEqual([]);
    await expectNothingLeft();
  });

  test.each([
    ['an image', [fileOf(JPEG)]],
    ['a video', [fileOf(MP4)]],
    ['a host that is not found', []],
    ['a 404', [{ status: 404 }]],
  ])('may go while the file is fetched, and then nothing is left: %s', async (_, answers) => {
    const folder = await addFolder(world, workspace.id);
    world.remoteFiles.serve(URL, ...answers);
    const remoteFiles = replacing(world.remoteFiles, {
      async open(url, options) {
        await deleteFolder(world, folder);
        return world.remoteFiles.open(url, options);
      },
    });
    const refused = start({ folderId: folder.id }, { ports: { ...world, remoteFiles } });
    expect(await refusalOf(refused)).toEqual(NO_FOLDER);
    await expectNothingLeft();
  });
});

describe('a caller that hangs up', () => {
  const ENDED = { code: 'malformed', message: 'The request ended early.' } as const;

  test('before anything was asked leaves nothing', async () => {
    world.remoteFiles.serve(URL, fileOf(JPEG));
    expect(await refusalOf(start({}, { signal: AbortSignal.abort() }))).toEqual(ENDED);
    expect(world.remoteFiles.asked).toEqual([]);
    await expectNothingLeft();
  });

  test('while the server is silent leaves nothing', async () => {
    const caller = new AbortController();
    world.remoteFiles.serve(URL, 'silent');
    const started = start({}, { signal: caller.signal });
    caller.abort();
    expect(await refusalOf(started)).toEqual(ENDED);
    await expectNothingLeft();
  });

  test('while an image comes leaves nothing', async () => {
    const caller = new AbortController();
    world.remoteFiles.serve(URL, heldFile(JPEG, new Uint8Array(1)).file);
    const started = start({}, { signal: caller.signal });
    await nextTurn();
    expect(world.remoteFiles.openFiles()).toBe(1);
    caller.abort();
    expect(await refusalOf(started)).toEqual(ENDED);
    await expectNothingLeft();
  });

  test('behind the decision does not disturb the import', async () => {
    for (const [head, patience] of [
      [MP4, MINUTE],
      [JPEG, 0],
    ] as const) {
      const caller = new AbortController();
      const { file, release } = heldFile(head, new Uint8Array(1));
      world.remoteFiles.serve(URL, file);
      const imports = replacing(world.imports, {
        async add(...job) {
          const answer = await world.imports.add(...job);
          caller.abort();
          return answer;
        },
      });
      const worker = startWorker(world);
      const { item } = await start({}, { ports: { ...world, imports }, worker, signal: caller.signal, patience });
      release();
      expect(await worker.heard(1)).toEqual(['active']);
      expect((await itemNow(world, item.id)).status).toBe('active');
    }
    expect(world.remoteFiles.asked).toEqual([URL, URL]);
  });
});

describe('a fault of ours', () => {
  const full = new Error('no space left');

  test('ends the connection when the storage takes nothing', async () => {
    const storage = replacing(world.storage, { stage: () => Promise.reject(full) });
    world.remoteFiles.serve(URL, fileOf(JPEG));
    expect(await thrownBy(start({}, { ports: { ...world, storage } }))).toBe(full);
    await expectNothingLeft();
  });

  test('leaves nothing when the object cannot be published', async () => {
    const storage = changingStaged(world.storage, (object) =>
      replacing(object, { publish: () => Promise.reject(full) }),
    );
    world.remoteFiles.serve(URL, fileOf(JPEG));
    expect(await thrownBy(start({}, { ports: { ...world, storage } }))).toBe(full);
    await expectNothingLeft();
  });

  test('ends the connection when the job cannot be kept', async () => {
    const imports = replacing(world.imports, { add: () => Promise.reject(full) });
    for (const [head, patience] of [
      [MP4, MINUTE],
      [JPEG, 0],
    ] as const) {
      world.remoteFiles.serve(URL, heldFile(head, new Uint8Array(1)).file);
      expect(await thrownBy(start({}, { ports: { ...world, imports }, patience }))).toBe(full);
      await expectNothingLeft();
    }
  });

  test('ends the connection when looking at the head fails', async () => {
    const inspector = replacing(world.inspector, { recognise: () => Promise.reject(full) });
    world.remoteFiles.serve(URL, fileOf(JPEG));
    expect(await thrownBy(start({}, { ports: { ...world, inspector } }))).toBe(full);
    await expectNothingLeft();
  });
});
