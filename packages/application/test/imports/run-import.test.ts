import { afterEach, beforeEach, describe, expect, test } from 'bun:test';
import {
  IMPORT_INTERRUPTED,
  IMPORT_TOO_LARGE,
  IMPORT_WRONG_TYPE,
  importDefectMessage,
  MAX_IMPORT_BYTES,
  MAX_INTERRUPTIONS,
  pauseAfterFault,
  type Workspace,
} from '@postshelf/domain';
import { deleteMedia } from '../../src/index.ts';
import { databases } from '../support/databases.ts';
import { BROKEN_JPEG, DAMAGED_JPEG, JPEG, MP4, TEXT } from '../support/files.ts';
import {
  addImport,
  claimAs,
  countJobs,
  expectNothingOpen,
  fileOf,
  heldFile,
  itemNow,
  LEASE_TIME,
  RETRY_DELAYS,
  startWorker,
  URL,
} from '../support/imports.ts';
import { thrownBy } from '../support/refusals.ts';
import { nextTurn } from '../support/waiting.ts';
import { inhabitedWorld, replacing, type World } from '../support/world.ts';

afterEach(databases.closeAll);

const [FIRST_DELAY = 0, SECOND_DELAY = 0] = RETRY_DELAYS;

let world: World;
let workspace: Workspace;

beforeEach(async () => {
  ({ workspace, ...world } = await inhabitedWorld());
});

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
    expect(await countJobs(world)).toBe(0);
    expectNothingOpen(world);
  });

  test('is tried three times in all, with the configured delays, and fails with the last reason', async () => {
    const { id } = await addImport(world, workspace);
    world.remoteFiles.serve(URL, { status: 503 }, 'silent', { ...fileOf(MP4), ending: 'cut off' });
    const { worker, heard } = startWorker(world);
    await worker.claimDue();
    expect(await heard(1)).toEqual(['retry']);

    world.clock.advance(FIRST_DELAY - 1);
    await worker.claimDue();
    expect(world.remoteFiles.requested).toHaveLength(1);
    world.clock.advance(1);
    await worker.claimDue();
    expect(await heard(2)).toEqual(['retry', 'retry']);

    world.clock.advance(SECOND_DELAY - 1);
    await worker.claimDue();
    expect(world.remoteFiles.requested).toHaveLength(2);
    expect((await itemNow(world, id)).status).toBe('processing');
    world.clock.advance(1);
    await worker.claimDue();
    expect(await heard(3)).toEqual(['retry', 'retry', 'failed']);
    expect(await itemNow(world, id)).toMatchObject({
      status: 'failed',
      errorMessage: 'The server at files.example cut off the download.',
    });
    expect(await countJobs(world)).toBe(0);
    expectNothingOpen(world);
  });

  test('is tried as often as there are delays, without being taken for one that interrupts its workers', async () => {
    const { id } = await addImport(world, workspace);
    world.remoteFiles.serve(URL, { status: 503 });
    const retryDelays = Array<number>(MAX_INTERRUPTIONS + 2).fill(1000);
    const { worker, heard } = startWorker(world, { retryDelays });
    for (let tried = 1; tried <= retryDelays.length + 1; tried += 1) {
      await worker.claimDue();
      await heard(tried);
      world.clock.advance(1000);
    }
    expect(world.remoteFiles.requested).toHaveLength(retryDelays.length + 1);
    expect(await itemNow(world, id)).toMatchObject({
      status: 'failed',
      errorMessage: 'The server at files.example answered 503.',
    });
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
    ["isn't all there", fileOf(DAMAGED_JPEG), importDefectMessage('damaged')],
  ] as const)('fails for good when its file %s', async (_, answer, errorMessage) => {
    const { id } = await addImport(world, workspace);
    world.remoteFiles.serve(URL, answer);
    const { worker, heard } = startWorker(world);
    await worker.claimDue();
    expect(await heard(1)).toEqual(['failed']);
    expect(await itemNow(world, id)).toMatchObject({ status: 'failed', errorMessage });
    expect(world.remoteFiles.requested).toHaveLength(1);
    expect(await countJobs(world)).toBe(0);
    expectNothingOpen(world);
  });

  test.each([
    [MAX_INTERRUPTIONS - 1, 'active', { status: 'active' }],
    [MAX_INTERRUPTIONS, 'failed', { status: 'failed', errorMessage: IMPORT_INTERRUPTED }],
  ] as const)('of which %d workers died is %s next', async (deaths, outcome, item) => {
    const { id } = await addImport(world, workspace);
    world.remoteFiles.serve(URL, fileOf(MP4));
    for (let killed = 0; killed < deaths; killed += 1) {
      expect(await claimAs(world, `worker ${killed}`, 1)).not.toBeNull();
      world.clock.advance(1);
    }
    const { worker, heard } = startWorker(world);
    await worker.claimDue();
    expect(await heard(1)).toEqual([outcome]);
    expect(await itemNow(world, id)).toMatchObject(item);
    expect(world.remoteFiles.requested).toEqual(outcome === 'active' ? [URL] : []);
  });
});

describe('an internal fault', () => {
  const full = new Error('no space left');
  const fullStorage = () => replacing(world.storage, { stage: () => Promise.reject(full) });

  test('does not count as an attempt, and the import begins anew after the first delay', async () => {
    const { id } = await addImport(world, workspace, { attempts: 1 });
    world.remoteFiles.serve(URL, fileOf(MP4));
    const { worker, heard, outcomes } = startWorker({ ...world, storage: fullStorage() });
    await worker.claimDue();
    expect(await heard(1)).toEqual(['fault']);
    expect(outcomes[0]).toEqual({ mediaId: id, outcome: 'fault', cause: full });
    expectNothingOpen(world);
    world.clock.advance(FIRST_DELAY - 1);
    expect(await claimAs(world, 'test')).toBeNull();
    world.clock.advance(1);
    expect(await claimAs(world, 'test')).toMatchObject({ mediaId: id, attempts: 1, claims: 2 });
  });

  test('that persists fails the import in the end, after longer and longer pauses', async () => {
    const { id } = await addImport(world, workspace);
    world.remoteFiles.serve(URL, fileOf(MP4));
    const { worker, heard } = startWorker({ ...world, storage: fullStorage() }, { retryDelays: [] });
    for (let claim = 1; claim <= MAX_INTERRUPTIONS; claim += 1) {
      await worker.claimDue();
      expect(await heard(claim)).toEqual(Array(claim).fill('fault'));
      world.clock.advance(pauseAfterFault(claim, 5000) - 1);
      await worker.claimDue();
      expect(world.remoteFiles.requested).toHaveLength(claim);
      world.clock.advance(1);
    }
    await worker.claimDue();
    await heard(MAX_INTERRUPTIONS + 1);
    expect(await itemNow(world, id)).toMatchObject({ status: 'failed', errorMessage: IMPORT_INTERRUPTED });
  });

  test('of the queue leaves the job under its lease, and it is claimed when that expires', async () => {
    const { id } = await addImport(world, workspace);
    const imports = replacing(world.imports, { release: () => Promise.reject(full) });
    const { worker, heard } = startWorker({ ...world, imports });
    await worker.claimDue();
    expect(await heard(2)).toEqual(['retry', 'fault']);
    expect(await claimAs(world, 'test')).toBeNull();
    world.clock.advance(LEASE_TIME);
    expect(await claimAs(world, 'test')).toMatchObject({ mediaId: id });
  });

  test('while claiming is thrown to the caller, and the worker goes on', async () => {
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

test('a download ends at the next renewal after the item is deleted', async () => {
  const item = await addImport(world, workspace);
  world.remoteFiles.serve(URL, heldFile(MP4, new Uint8Array(1)).file);
  const { worker, heard } = startWorker(world);
  await worker.claimDue();
  await nextTurn();
  await deleteMedia(world, item, () => undefined);
  await worker.renewLeases();
  expect(await heard(1)).toEqual(['dropped']);
  expectNothingOpen(world);
});
