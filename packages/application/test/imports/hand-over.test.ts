import { afterEach, beforeEach, describe, expect, test } from 'bun:test';
import { databases } from '../support/databases.ts';
import { JPEG, MP4 } from '../support/files.ts';
import {
  addImport,
  claimAs,
  countImports,
  expectNothingLeft,
  expectNothingOpen,
  fileOf,
  heldFile,
  itemNow,
  startImports,
  URL,
} from '../support/imports.ts';
import type { TestRunner } from '../support/jobs.ts';
import { countStaged } from '../support/objects.ts';
import { refusalOf, thrownBy } from '../support/refusals.ts';
import { type StartingWorld, startingWorld } from '../support/starting.ts';
import { nextTurn, until } from '../support/waiting.ts';
import { replacing } from '../support/world.ts';

afterEach(databases.closeAll);

let world: StartingWorld;

beforeEach(async () => {
  world = await startingWorld();
});

describe('a file that no worker of this process downloads', () => {
  async function expectLeftToQueue(worker: TestRunner | null): Promise<void> {
    world.remoteFiles.serve(URL, fileOf(MP4));
    const openBefore = world.remoteFiles.openFiles();
    const { item } = await world.start({}, { worker });
    expect(item.status).toBe('processing');
    expect(world.remoteFiles.openFiles()).toBe(openBefore);
    expect(countStaged(world)).toBe(0);
    expect(await claimAs(world, 'test')).toMatchObject({
      subjectId: item.id,
      payload: { url: URL },
      attempts: 0,
      claims: 1,
    });
  }

  test('is left to the queue, due immediately, by a process without a worker', () => expectLeftToQueue(null));

  test('is left to the queue by a worker that stops', async () => {
    await world.worker.runner.stop();
    await expectLeftToQueue(world.worker);
  });

  test.each([
    ['is full', { concurrency: 1 }],
    ['has reached the limit of the workspace', { perWorkspace: 1 }],
  ])('is left to the queue by a worker that %s', async (_, options) => {
    const busy = startImports(world, options);
    const { file, release } = heldFile(MP4, new Uint8Array(1));
    world.remoteFiles.serve('https://files.example/first', file);
    await world.start({ url: 'https://files.example/first' }, { worker: busy });
    await expectLeftToQueue(busy);
    release();
    await busy.heard(1);
  });

  test('is left to the queue even if it is an image that has been partly received', async () => {
    const { file } = heldFile(JPEG, new Uint8Array(1));
    world.remoteFiles.serve(URL, file);
    const { item } = await world.start({}, { worker: null, imageTimeout: 0 });
    expect(item).toMatchObject({ status: 'processing', name: 'beach day.jpg' });
    expect(world.remoteFiles.openFiles()).toBe(0);
    expect(countStaged(world)).toBe(0);
    expect(await claimAs(world, 'test')).toMatchObject({ subjectId: item.id });
  });
});

test('if an image arrives completely while its import is being queued, its bytes are discarded', async () => {
  const { file, release } = heldFile(JPEG, new Uint8Array(1));
  world.remoteFiles.serve(URL, file);
  const processing = replacing(world.processing, {
    async begin(...job) {
      release();
      await nextTurn();
      expect(countStaged(world)).toBe(1);
      return world.processing.begin(...job);
    },
  });
  await world.start({}, { ports: { ...world, processing }, worker: null, imageTimeout: 0 });
  expect(countStaged(world)).toBe(0);
});

test('a slot is freed when its import has ended or its job could not be stored', async () => {
  const one = startImports(world, { concurrency: 1 });
  const processing = replacing(world.processing, { begin: () => Promise.reject(new Error('connection lost')) });
  for (let count = 1; count <= 3; count += 1) {
    world.remoteFiles.serve(URL, fileOf(MP4));
    await thrownBy(world.start({}, { ports: { ...world, processing }, worker: one }));
    await world.start({}, { worker: one });
    expect(await one.heard(count)).toEqual(Array(count).fill('active'));
  }
});

test('a slot reserved for a request is not given to the queue', async () => {
  const { runner, runAll } = startImports(world, { concurrency: 1 });
  const letGo = runner.reserve('import', world.workspace.id);
  await addImport(world, world.workspace);
  expect(await runAll()).toEqual([]);
  expect(world.remoteFiles.requested).toEqual([]);
  letGo?.();
  expect(await runAll()).toEqual(['retry']);
  expect(world.remoteFiles.requested).toEqual([URL]);
});

test('concurrent requests hand over no more imports than there are slots', async () => {
  const small = startImports(world, { concurrency: 2, perWorkspace: 10 });
  const held = Array.from({ length: 6 }, () => heldFile(MP4, new Uint8Array(1)));
  const urls = held.map(({ file }, index) => {
    const url = `https://files.example/${index}`;
    world.remoteFiles.serve(url, file);
    return url;
  });
  await Promise.all(urls.map((url) => world.start({ url }, { worker: small })));
  await nextTurn();
  expect(world.remoteFiles.openFiles()).toBe(2);
  expect(await countImports(world)).toBe(6);
  await small.runner.stop();
  expectNothingOpen(world);
});

describe('a caller that disconnects', () => {
  const ENDED = { code: 'malformed', message: 'The request ended early.' } as const;

  test('before the URL is requested leaves nothing', async () => {
    world.remoteFiles.serve(URL, fileOf(JPEG));
    expect(await refusalOf(world.start({}, { signal: AbortSignal.abort() }))).toEqual(ENDED);
    expect(world.remoteFiles.requested).toEqual([]);
    await expectNothingLeft(world, world.workspace);
  });

  test.each<[string, () => 'silent' | ReturnType<typeof heldFile>['file'], number]>([
    ['the server is silent', () => 'silent', 0],
    ['an image arrives', () => heldFile(JPEG, new Uint8Array(1)).file, 1],
  ])('while %s leaves nothing', async (_, answer, openFiles) => {
    const caller = new AbortController();
    world.remoteFiles.serve(URL, answer());
    const started = world.start({}, { signal: caller.signal });
    await until(() => world.remoteFiles.openFiles() === openFiles);
    caller.abort();
    expect(await refusalOf(started)).toEqual(ENDED);
    await expectNothingLeft(world, world.workspace);
  });

  test('while the head of a video is inspected leaves nothing', async () => {
    const caller = new AbortController();
    world.remoteFiles.serve(URL, heldFile(MP4, new Uint8Array(1)).file);
    const inspector = replacing(world.inspector, {
      async recognise(head) {
        caller.abort();
        return world.inspector.recognise(head);
      },
    });
    const started = world.start({}, { ports: { ...world, inspector }, signal: caller.signal });
    expect(await refusalOf(started)).toEqual(ENDED);
    await expectNothingLeft(world, world.workspace);
  });

  test("after the import was stored doesn't affect it", async () => {
    for (const [head, imageTimeout] of [
      [MP4, 60_000],
      [JPEG, 0],
    ] as const) {
      const caller = new AbortController();
      const { file, release } = heldFile(head, new Uint8Array(1));
      world.remoteFiles.serve(URL, file);
      const processing = replacing(world.processing, {
        async begin(...job) {
          const answer = await world.processing.begin(...job);
          caller.abort();
          return answer;
        },
      });
      const worker = startImports(world);
      const { item } = await world.start(
        {},
        { ports: { ...world, processing }, worker, signal: caller.signal, imageTimeout },
      );
      release();
      expect(await worker.heard(1)).toEqual(['active']);
      expect((await itemNow(world, item.id)).status).toBe('active');
    }
    expect(world.remoteFiles.requested).toEqual([URL, URL]);
  });
});
