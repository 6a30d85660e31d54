import { beforeEach, describe, expect, test } from 'bun:test';
import {
  IMPORT_INTERRUPTED,
  IMPORT_TOO_LARGE,
  IMPORT_WRONG_TYPE,
  MAX_IMPORT_BYTES,
  MAX_INTERRUPTIONS,
  type Workspace,
} from '@postshelf/domain';
import { addFolder, addWorkspace } from '@postshelf/testing';
import { openImport } from '../../src/import/open-import.ts';
import { deleteMedia, updateMedia } from '../../src/index.ts';
import { BROKEN_JPEG, JPEG, MP4, TEXT } from '../support/files.ts';
import {
  addImport,
  fileOf,
  heldFile,
  itemNow,
  LEASE_TIME,
  never,
  nextTurn,
  RETRY_DELAYS,
  startWorker,
  URL,
} from '../support/imports.ts';
import { countStaged, publishedKeys } from '../support/objects.ts';
import { thrownBy } from '../support/refusals.ts';
import { inhabitedWorld, replacing, type World } from '../support/world.ts';

const [FIRST_DELAY = 0, SECOND_DELAY = 0] = RETRY_DELAYS;

let world: World;
let workspace: Workspace;

beforeEach(async () => {
  const inhabited = await inhabitedWorld();
  world = inhabited;
  workspace = inhabited.workspace;
});

const jobsNow = async (): Promise<number> => (await world.imports.depth()).jobs;

/** Claims the one job that is due, as another owner; null when none is. */
async function claimAs(owner: string, lasting = LEASE_TIME) {
  const now = world.clock.now();
  const lease = { owner, until: now + lasting };
  const [job] = await world.imports.claim({ now, lease, limit: 1, perWorkspace: 100 });
  return job ?? null;
}

function expectNothingOpen(): void {
  expect(countStaged(world)).toBe(0);
  expect(world.remoteFiles.openFiles()).toBe(0);
}

describe('an import', () => {
  test.each([
    ['an image', JPEG, 'beach day.jpg'],
    ['a video', MP4, 'beach day.mp4'],
  ])('of %s becomes active', async (_, bytes, name) => {
    const { id } = await addImport(world, workspace);
    world.remoteFiles.serve(URL, fileOf(bytes));
    const { worker, heard } = startWorker(world);
    await worker.claimDue();
    expect(await heard(1)).toEqual(['active']);
    expect(await itemNow(world, id)).toMatchObject({
      status: 'active',
      name,
      fullName: `${workspace.id}/${id}/${name}`,
    });
    expect(await jobsNow()).toBe(0);
    expectNothingOpen();
  });

  test('is tried three times in all, after the delays that are set, and fails with the last reason', async () => {
    const { id } = await addImport(world, workspace);
    world.remoteFiles.serve(URL, { status: 503 }, 'silent', { ...fileOf(MP4), ending: 'cut off' });
    const { worker, heard } = startWorker(world);
    await worker.claimDue();
    expect(await heard(1)).toEqual(['retry']);

    world.clock.advance(FIRST_DELAY - 1);
    await worker.claimDue();
    expect(world.remoteFiles.asked).toHaveLength(1);
    world.clock.advance(1);
    await worker.claimDue();
    expect(await heard(2)).toEqual(['retry', 'retry']);

    world.clock.advance(SECOND_DELAY - 1);
    await worker.claimDue();
    expect(world.remoteFiles.asked).toHaveLength(2);
    expect((await itemNow(world, id)).status).toBe('processing');
    world.clock.advance(1);
    await worker.claimDue();
    expect(await heard(3)).toEqual(['retry', 'retry', 'failed']);
    expect(await itemNow(world, id)).toMatchObject({
      status: 'failed',
      errorMessage: 'The server at files.example cut the download off.',
    });
    expect(await jobsNow()).toBe(0);
    expectNothingOpen();
  });

  test('becomes active when a later try succeeds', async () => {
    const { id } = await addImport(world, workspace);
    world.remoteFiles.serve(URL, { status: 429 }, { status: 500 }, fileOf(MP4));
    const { worker, heard } = startWorker(world);
    await worker.claimDue();
    await heard(1);
    world.clock.advance(FIRST_DELAY);
    await worker.claimDue();
    await heard(2);
    world.clock.advance(SECOND_DELAY);
    await worker.claimDue();
    expect(await heard(3)).toEqual(['retry', 'retry', 'active']);
    expect((await itemNow(world, id)).status).toBe('active');
  });

  test.each([
    [
      'is refused',
      { kind: 'refused', message: 'The URL redirects more than 3 times.' },
      'The URL redirects more than 3 times.',
    ],
    ['is gone', { status: 410 }, 'The server at files.example answered 410.'],
    ['is announced above 2 GB', { ...fileOf(MP4), announcedSize: MAX_IMPORT_BYTES + 1 }, IMPORT_TOO_LARGE],
    ['is of another type', fileOf(TEXT), IMPORT_WRONG_TYPE],
    ['does not parse', fileOf(BROKEN_JPEG), IMPORT_WRONG_TYPE],
  ] as const)('fails for good when its file %s', async (_, answer, errorMessage) => {
    const { id } = await addImport(world, workspace);
    world.remoteFiles.serve(URL, answer);
    const { worker, heard } = startWorker(world);
    await worker.claimDue();
    expect(await heard(1)).toEqual(['failed']);
    expect(await itemNow(world, id)).toMatchObject({ status: 'failed', errorMessage });
    expect(world.remoteFiles.asked).toHaveLength(1);
    expect(await jobsNow()).toBe(0);
    expectNothingOpen();
  });

  test('that kills its workers is given up', async () => {
    const { id } = await addImport(world, workspace);
    for (let killed = 0; killed < MAX_INTERRUPTIONS; killed += 1) {
      expect(await claimAs(`worker ${killed}`, 1)).not.toBeNull();
      world.clock.advance(1);
    }
    const { worker, heard } = startWorker(world);
    await worker.claimDue();
    expect(await heard(1)).toEqual(['failed']);
    expect(await itemNow(world, id)).toMatchObject({ status: 'failed', errorMessage: IMPORT_INTERRUPTED });
    expect(world.remoteFiles.asked).toEqual([]);
  });

  test('is tried once more after as many interruptions as are allowed but one', async () => {
    await addImport(world, workspace);
    world.remoteFiles.serve(URL, fileOf(MP4));
    for (let killed = 1; killed < MAX_INTERRUPTIONS; killed += 1) {
      await claimAs(`worker ${killed}`, 1);
      world.clock.advance(1);
    }
    const { worker, heard } = startWorker(world);
    await worker.claimDue();
    expect(await heard(1)).toEqual(['active']);
  });
});

describe('a fault of ours', () => {
  const full = new Error('no space left');
  const fullStorage = () => replacing(world.storage, { stage: () => Promise.reject(full) });

  test('costs the import no attempt, and it is begun anew after the first delay', async () => {
    const { id } = await addImport(world, workspace, { attempts: 1 });
    world.remoteFiles.serve(URL, fileOf(MP4));
    const { worker, heard, outcomes } = startWorker({ ...world, storage: fullStorage() });
    await worker.claimDue();
    expect(await heard(1)).toEqual(['fault']);
    expect(outcomes[0]).toEqual({ mediaId: id, outcome: 'fault', cause: full });
    expectNothingOpen();
    world.clock.advance(FIRST_DELAY - 1);
    expect(await claimAs('test')).toBeNull();
    world.clock.advance(1);
    expect(await claimAs('test')).toMatchObject({ mediaId: id, attempts: 1, claims: 2 });
  });

  test('that stays does not keep the import for ever', async () => {
    const { id } = await addImport(world, workspace);
    world.remoteFiles.serve(URL, fileOf(MP4));
    const { worker, heard } = startWorker({ ...world, storage: fullStorage() }, { retryDelays: [] });
    for (let claim = 1; claim <= MAX_INTERRUPTIONS + 1; claim += 1) {
      await worker.claimDue();
      await heard(claim);
      world.clock.advance(5000);
    }
    expect(await itemNow(world, id)).toMatchObject({ status: 'failed', errorMessage: IMPORT_INTERRUPTED });
  });

  test('in the queue leaves the job under its lease, for whoever comes when that has run out', async () => {
    const { id } = await addImport(world, workspace);
    const imports = replacing(world.imports, { release: () => Promise.reject(full) });
    const { worker, heard } = startWorker({ ...world, imports });
    await worker.claimDue();
    expect(await heard(2)).toEqual(['retry', 'fault']);
    expect(await claimAs('test')).toBeNull();
    world.clock.advance(LEASE_TIME);
    expect(await claimAs('test')).toMatchObject({ mediaId: id });
  });

  test('while claiming reaches whoever asked, and the worker goes on', async () => {
    let fails = true;
    const imports = replacing(world.imports, {
      claim: (request) => (fails ? Promise.reject(full) : world.imports.claim(request)),
    });
    await addImport(world, workspace);
    world.remoteFiles.serve(URL, fileOf(JPEG));
    const { worker, heard } = startWorker({ ...world, imports });
    expect(await thrownBy(worker.claimDue())).toBe(full);
    fails = false;
    await worker.claimDue();
    expect(await heard(1)).toEqual(['active']);
  });
});

describe('room', () => {
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

  test('is bounded in all, and what is due longest comes first', async () => {
    const held = await addHeld(Array.from({ length: 5 }, () => workspace));
    const { worker, heard } = startWorker(world, { concurrency: 2, perWorkspace: 5 });
    await worker.claimDue();
    await worker.claimDue();
    expect(world.remoteFiles.asked).toEqual(['https://files.example/0', 'https://files.example/1']);
    held[1]?.release();
    expect(await heard(1)).toEqual(['active']);
    await worker.claimDue();
    expect(world.remoteFiles.asked).toHaveLength(3);
    for (const { release } of held) release();
    await heard(3);
  });

  test('is bounded for each workspace, so that one cannot keep others waiting', async () => {
    const other = await addWorkspace(world);
    const held = await addHeld([workspace, workspace, workspace, other]);
    const { worker, heard } = startWorker(world, { concurrency: 3, perWorkspace: 1 });
    await worker.claimDue();
    expect(world.remoteFiles.asked).toEqual(['https://files.example/0', 'https://files.example/3']);
    for (const { release } of held) release();
    await heard(2);
  });

  test('is counted over all workers for a workspace', async () => {
    const held = await addHeld([workspace, workspace, workspace]);
    const one = startWorker(world, { owner: 'one', perWorkspace: 2 });
    const two = startWorker(world, { owner: 'two', perWorkspace: 2 });
    await Promise.all([one.worker.claimDue(), two.worker.claimDue()]);
    expect(world.remoteFiles.openFiles()).toBe(2);
    for (const { release } of held) release();
    await nextTurn();
    expect(one.outcomes.length + two.outcomes.length).toBe(2);
  });
});

describe('two workers over one queue', () => {
  test('begin with each job once', async () => {
    const urls = Array.from({ length: 8 }, (_, index) => `https://files.example/${index}`);
    for (const url of urls) {
      world.remoteFiles.serve(url, fileOf(JPEG));
      await addImport(world, workspace, { url });
    }
    const one = startWorker(world, { owner: 'one', concurrency: 4, perWorkspace: 100 });
    const two = startWorker(world, { owner: 'two', concurrency: 4, perWorkspace: 100 });
    await Promise.all([one.worker.claimDue(), two.worker.claimDue()]);
    expect(await one.heard(4)).toEqual(Array(4).fill('active'));
    expect(await two.heard(4)).toEqual(Array(4).fill('active'));
    expect(world.remoteFiles.asked.toSorted()).toEqual(urls);
    expect(await publishedKeys(world)).toHaveLength(8);
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
      expect(await claimAs('another')).toBeNull();
    }
    release();
    expect(await heard(1)).toEqual(['active']);
    expect((await itemNow(world, id)).status).toBe('active');
  });

  test('that was lost ends the download, and leaves the job to whoever has it', async () => {
    const { id } = await addImport(world, workspace);
    world.remoteFiles.serve(URL, heldFile(MP4, new Uint8Array(1)).file);
    const { worker, heard } = startWorker(world);
    await worker.claimDue();
    await nextTurn();
    world.clock.advance(LEASE_TIME);
    expect(await claimAs('another')).toMatchObject({ mediaId: id });
    await worker.renewLeases();
    expect(await heard(1)).toEqual(['dropped']);
    expectNothingOpen();
    expect(await claimAs('a third')).toBeNull();
    expect(await world.imports.renew([id], { owner: 'another', until: world.clock.now() + 1 })).toEqual(new Set([id]));
  });

  test('that ran out unnoticed and came back to the same worker does not begin a second download', async () => {
    const { id } = await addImport(world, workspace);
    const { file, release } = heldFile(MP4, new Uint8Array(1));
    world.remoteFiles.serve(URL, file);
    const { worker, heard } = startWorker(world);
    await worker.claimDue();
    // The machine slept; the poll comes before the renewal.
    world.clock.advance(2 * LEASE_TIME);
    await worker.claimDue();
    await worker.renewLeases();
    await nextTurn();
    expect(world.remoteFiles.asked).toEqual([URL]);
    release();
    expect(await heard(1)).toEqual(['active']);
    expect((await itemNow(world, id)).status).toBe('active');
    await worker.stop();
    expectNothingOpen();
  });

  test('is not asked for when nothing runs', async () => {
    const imports = replacing(world.imports, { renew: () => Promise.reject(new Error('asked')) });
    await startWorker({ ...world, imports }).worker.renewLeases();
  });
});

describe('stopping', () => {
  test('gives back what is under way, due at once and without an attempt more', async () => {
    const { id } = await addImport(world, workspace, { attempts: 1 });
    world.remoteFiles.serve(URL, heldFile(MP4, new Uint8Array(1)).file);
    const { worker, outcomes } = startWorker(world);
    await worker.claimDue();
    await nextTurn();
    await worker.stop();
    expect(outcomes.map(({ outcome }) => outcome)).toEqual(['dropped']);
    expectNothingOpen();
    expect(await claimAs('another')).toMatchObject({ mediaId: id, attempts: 1 });
  });

  test('gives back what was handed over at that very moment, without reading it to its end', async () => {
    const { id } = await addImport(world, workspace);
    const { worker } = startWorker(world);
    const job = await claimAs('worker');
    if (!job) throw new Error('a job');
    world.remoteFiles.serve(URL, heldFile(MP4, new Uint8Array(1)).file);
    const opened = await openImport(world, URL, never());
    const begun = { received: opened.receive(), abort: () => opened.close() };
    worker.adopt(job, begun);
    await worker.stop();
    expectNothingOpen();
    expect(await claimAs('another')).toMatchObject({ mediaId: id });
  });

  test('gives back what was being claimed', async () => {
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
    const claiming = worker.claimDue();
    await nextTurn();
    await worker.stop();
    stop();
    await claiming;
    expect(world.remoteFiles.asked).toEqual([]);
    expect(await claimAs('another')).toMatchObject({ mediaId: id, attempts: 0 });
  });

  test('lets an import that is being finished end', async () => {
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
    expectNothingOpen();
  });

  test('begins nothing more', async () => {
    await addImport(world, workspace);
    const { worker } = startWorker(world);
    await worker.stop();
    await worker.claimDue();
    expect(world.remoteFiles.asked).toEqual([]);
    expect(worker.reserve(workspace.id)).toBeNull();
    await worker.stop();
  });
});

describe('what people do to an item while it is processing', () => {
  test.each([
    ['while it is downloaded', 'downloading'],
    ['right before it is finished', 'finishing'],
  ] as const)('stays: a new name, label and folder, given %s', async (_, moment) => {
    const folder = await addFolder(world, workspace.id);
    const item = await addImport(world, workspace);
    const { file, release } = heldFile(MP4, new Uint8Array(1));
    world.remoteFiles.serve(URL, file);
    const change = () =>
      updateMedia(world, item, { name: 'At sea.mov', label: 'Summer', folderId: folder.id }).then(() => undefined);
    const imports = replacing(world.imports, {
      async finish(...outcome) {
        if (moment === 'finishing') await change();
        return world.imports.finish(...outcome);
      },
    });
    const { worker, heard } = startWorker({ ...world, imports });
    await worker.claimDue();
    await nextTurn();
    if (moment === 'downloading') await change();
    release();
    expect(await heard(1)).toEqual(['active']);
    const now = await itemNow(world, item.id);
    expect(now).toMatchObject({ status: 'active', name: 'At sea.mp4', label: 'Summer', folderId: folder.id });
    expect((await publishedKeys(world)).includes(now.fullName)).toBe(true);
  });

  test('leaves nothing when they delete it while it is downloaded', async () => {
    const item = await addImport(world, workspace);
    const { file, release } = heldFile(MP4, new Uint8Array(1));
    world.remoteFiles.serve(URL, file);
    const { worker, heard } = startWorker(world);
    await worker.claimDue();
    await nextTurn();
    await deleteMedia(world, item, () => undefined);
    release();
    expect(await heard(1)).toEqual(['dropped']);
    expect(await publishedKeys(world)).toEqual([]);
    expectNothingOpen();
  });

  test('ends the download when they delete it, at the next renewal', async () => {
    const item = await addImport(world, workspace);
    world.remoteFiles.serve(URL, heldFile(MP4, new Uint8Array(1)).file);
    const { worker, heard } = startWorker(world);
    await worker.claimDue();
    await nextTurn();
    await deleteMedia(world, item, () => undefined);
    await worker.renewLeases();
    expect(await heard(1)).toEqual(['dropped']);
    expectNothingOpen();
  });
});
