import { afterEach, beforeEach, describe, expect, test } from 'bun:test';
import type { Workspace } from '@postshelf/domain';
import { addWorkspace } from '@postshelf/testing/contracts/samples';
import { openImport } from '../../src/imports/open-import.ts';
import { databases } from '../support/databases.ts';
import { JPEG, MP4 } from '../support/files.ts';
import {
  addImport,
  claimAs,
  expectNothingOpen,
  fileOf,
  heldFile,
  itemNow,
  LEASE_TIME,
  never,
  startWorker,
  URL,
} from '../support/imports.ts';
import { publishedKeys } from '../support/objects.ts';
import { nextTurn, until } from '../support/waiting.ts';
import { inhabitedWorld, replacing, type World } from '../support/world.ts';

afterEach(databases.closeAll);

let world: World;
let workspace: Workspace;

beforeEach(async () => {
  ({ workspace, ...world } = await inhabitedWorld());
});

describe('the number of running imports', () => {
  async function addHeld(workspaces: readonly Workspace[]) {
    const all = [];
    for (const [index, place] of workspaces.entries()) {
      const url = `https://files.example/${index}`;
      const held = heldFile(JPEG, new Uint8Array(1));
      world.remoteFiles.serve(url, held.file);
      all.push({ ...held, item: await addImport(world, place, { url }) });
      world.clock.advance(1);
    }
    return all;
  }

  test('is limited in total, and the job that is due longest starts first', async () => {
    const held = await addHeld(Array.from({ length: 5 }, () => workspace));
    const { worker, heard } = startWorker(world, { concurrency: 2, perWorkspace: 5 });
    await worker.claimDue();
    await worker.claimDue();
    expect(world.remoteFiles.requested).toEqual(['https://files.example/0', 'https://files.example/1']);
    held[1]?.release();
    expect(await heard(1)).toEqual(['active']);
    await worker.claimDue();
    expect(world.remoteFiles.requested).toHaveLength(3);
    for (const { release } of held) release();
    await heard(3);
  });

  test('is limited for each workspace, so that one cannot keep others waiting', async () => {
    const other = await addWorkspace(world);
    const held = await addHeld([workspace, workspace, workspace, other]);
    const { worker, heard } = startWorker(world, { concurrency: 3, perWorkspace: 1 });
    await worker.claimDue();
    expect(world.remoteFiles.requested).toEqual(['https://files.example/0', 'https://files.example/3']);
    for (const { release } of held) release();
    await heard(2);
  });

  test('shrinks with each active workspace, so that a new one finds a slot', async () => {
    const [second, third] = [await addWorkspace(world), await addWorkspace(world)];
    const held = await addHeld([workspace, workspace, workspace, second, second, second, third]);
    const { worker, heard } = startWorker(world, { concurrency: 4, perWorkspace: 2 });
    await worker.claimDue();
    expect(world.remoteFiles.requested).toEqual([0, 1, 3, 6].map((index) => `https://files.example/${index}`));
    held[0]?.release();
    expect(await heard(1)).toEqual(['active']);
    // One slot is free, but for none that holds one already.
    await worker.claimDue();
    expect(world.remoteFiles.requested).toHaveLength(4);
    for (const { release } of held) release();
    await heard(4);
  });

  test('is counted for a workspace over all workers', async () => {
    await addHeld([workspace, workspace, workspace]);
    const one = startWorker(world, { owner: 'one', perWorkspace: 2 });
    const two = startWorker(world, { owner: 'two', perWorkspace: 2 });
    await Promise.all([one.worker.claimDue(), two.worker.claimDue()]);
    expect(world.remoteFiles.openFiles()).toBe(2);
    await Promise.all([one.worker.stop(), two.worker.stop()]);
    expectNothingOpen(world);
  });

  test('leaves a free slot that is announced when an import ends, unless the worker stops', async () => {
    const held = await addHeld([workspace, workspace, workspace]);
    const room: string[] = [];
    const { worker, heard } = startWorker(world, {
      concurrency: 2,
      onSlotFree: () => {
        room.push('room');
        void worker.claimDue();
      },
    });
    await worker.claimDue();
    expect(room).toEqual([]);
    held[0]?.release();
    expect(await heard(1)).toEqual(['active']);
    expect(room).toEqual(['room']);
    await until(() => world.remoteFiles.requested.length === 3);
    await worker.stop();
    expect(room).toEqual(['room']);
    expectNothingOpen(world);
  });

  test('is not exceeded by two concurrent claims', async () => {
    await addHeld([workspace, workspace, workspace]);
    const { worker } = startWorker(world, { concurrency: 2 });
    await Promise.all([worker.claimDue(), worker.claimDue()]);
    await nextTurn();
    expect(world.remoteFiles.requested).toHaveLength(2);
    await worker.stop();
  });
});

describe('a lease', () => {
  test('is renewed while the download goes on', async () => {
    const { id } = await addImport(world, workspace);
    const { file, release } = heldFile(MP4, new Uint8Array(1));
    world.remoteFiles.serve(URL, file);
    const { worker, heard } = startWorker(world);
    await worker.claimDue();
    for (let renewal = 0; renewal < 5; renewal += 1) {
      world.clock.advance(LEASE_TIME - 1);
      await worker.renewLeases();
      expect(await claimAs(world, 'another')).toBeNull();
    }
    release();
    expect(await heard(1)).toEqual(['active']);
    expect((await itemNow(world, id)).status).toBe('active');
  });

  test('that was lost ends the download, and leaves the job to its owner', async () => {
    const { id } = await addImport(world, workspace);
    world.remoteFiles.serve(URL, heldFile(MP4, new Uint8Array(1)).file);
    const { worker, heard } = startWorker(world);
    await worker.claimDue();
    await nextTurn();
    world.clock.advance(LEASE_TIME);
    expect(await claimAs(world, 'another')).toMatchObject({ mediaId: id });
    await worker.renewLeases();
    expect(await heard(1)).toEqual(['dropped']);
    expectNothingOpen(world);
    expect(await claimAs(world, 'a third')).toBeNull();
    expect(await world.imports.renew([id], { owner: 'another', until: world.clock.now() + 1 })).toEqual(new Set([id]));
  });

  test('that expired and was claimed again by the same worker does not begin a second download', async () => {
    const { id } = await addImport(world, workspace);
    const { file, release } = heldFile(MP4, new Uint8Array(1));
    world.remoteFiles.serve(URL, file);
    const { worker, heard } = startWorker(world);
    await worker.claimDue();
    // The machine slept; the claim precedes the renewal.
    world.clock.advance(2 * LEASE_TIME);
    await worker.claimDue();
    await worker.renewLeases();
    await nextTurn();
    expect(world.remoteFiles.requested).toEqual([URL]);
    release();
    expect(await heard(1)).toEqual(['active']);
    expect((await itemNow(world, id)).status).toBe('active');
    await worker.stop();
    expectNothingOpen(world);
  });

  test('is not renewed when nothing runs', async () => {
    const imports = replacing(world.imports, { renew: () => Promise.reject(new Error('requested')) });
    await startWorker({ ...world, imports }).worker.renewLeases();
  });
});

describe('stopping', () => {
  test('releases running jobs, due at once and without another attempt or interruption', async () => {
    const { id } = await addImport(world, workspace, { attempts: 1 });
    world.remoteFiles.serve(URL, heldFile(MP4, new Uint8Array(1)).file);
    const { worker, outcomes } = startWorker(world);
    await worker.claimDue();
    await nextTurn();
    await worker.stop();
    expect(outcomes.map(({ outcome }) => outcome)).toEqual(['dropped']);
    expectNothingOpen(world);
    expect(await claimAs(world, 'another')).toMatchObject({ mediaId: id, attempts: 1, claims: 1 });
  });

  test('releases a job handed over at that moment, without reading it to its end', async () => {
    const { id } = await addImport(world, workspace);
    const { worker } = startWorker(world);
    const job = await claimAs(world, 'worker');
    if (!job) throw new Error('a job');
    world.remoteFiles.serve(URL, heldFile(MP4, new Uint8Array(1)).file);
    const opened = await openImport(world, workspace, job, { signal: never() });
    const begun = { file: opened.download(), abort: () => opened.close() };
    worker.adopt(job, begun, () => undefined);
    await worker.stop();
    expectNothingOpen(world);
    expect(await claimAs(world, 'another')).toMatchObject({ mediaId: id, claims: 1 });
  });

  test('releases jobs that were just being claimed', async () => {
    const { id } = await addImport(world, workspace);
    world.remoteFiles.serve(URL, fileOf(MP4));
    const { promise: stopped, resolve: stop } = Promise.withResolvers<void>();
    const imports = replacing(world.imports, {
      async claim(request) {
        const jobs = await world.imports.claim(request);
        await stopped;
        return jobs;
      },
    });
    const { worker } = startWorker({ ...world, imports });
    void worker.claimDue();
    await nextTurn();
    const stopping = worker.stop();
    stop();
    await stopping;
    expect(world.remoteFiles.requested).toEqual([]);
    expect(await claimAs(world, 'another')).toMatchObject({ mediaId: id, attempts: 0, claims: 1 });
  });

  test('lets an import that is being finished complete', async () => {
    const { id } = await addImport(world, workspace);
    world.remoteFiles.serve(URL, fileOf(JPEG));
    const finishing = Promise.withResolvers<void>();
    const { promise: mayFinish, resolve: letFinish } = Promise.withResolvers<void>();
    const imports = replacing(world.imports, {
      async finish(...outcome) {
        finishing.resolve();
        await mayFinish;
        return world.imports.finish(...outcome);
      },
    });
    const { worker, outcomes } = startWorker({ ...world, imports });
    await worker.claimDue();
    await finishing.promise;
    const stopping = worker.stop();
    letFinish();
    await stopping;
    expect(outcomes.map(({ outcome }) => outcome)).toEqual(['active']);
    expect((await itemNow(world, id)).status).toBe('active');
    expectNothingOpen(world);
  });

  test('while an import is being finished, which then fails, leaves the next start the knowledge of its object', async () => {
    const { id } = await addImport(world, workspace);
    world.remoteFiles.serve(URL, fileOf(JPEG), fileOf(JPEG));
    const finishing = Promise.withResolvers<void>();
    const { promise: mayFail, resolve: letFail } = Promise.withResolvers<void>();
    const imports = replacing(world.imports, {
      async finish() {
        finishing.resolve();
        await mayFail;
        throw new Error('the database is away');
      },
    });
    const { worker } = startWorker({ ...world, imports });
    await worker.claimDue();
    await finishing.promise;
    const stopping = worker.stop();
    letFail();
    await stopping;
    expect(await publishedKeys(world)).toHaveLength(1);
    const next = startWorker(world, { owner: 'another' });
    await next.worker.claimDue();
    expect(await next.heard(1)).toEqual(['active']);
    expect(await itemNow(world, id)).toMatchObject({ status: 'active' });
  });

  test('prevents new work', async () => {
    await addImport(world, workspace);
    const { worker } = startWorker(world);
    await worker.stop();
    await worker.claimDue();
    expect(world.remoteFiles.requested).toEqual([]);
    expect(worker.reserve(workspace.id)).toBeNull();
    await worker.stop();
  });
});

test('a worker that lost its lease while it downloaded publishes nothing', async () => {
  const { id } = await addImport(world, workspace);
  world.remoteFiles.serve(URL, fileOf(MP4));
  const imports = replacing(world.imports, { renew: async () => new Set() });
  const { worker, heard } = startWorker({ ...world, imports });
  await worker.claimDue();
  expect(await heard(1)).toEqual(['dropped']);
  expect(await publishedKeys(world)).toEqual([]);
  expect(await Array.fromAsync(world.trash.list())).toEqual([]);
  expect((await itemNow(world, id)).status).toBe('processing');
});
