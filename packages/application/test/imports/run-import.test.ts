import { afterEach, beforeEach, describe, expect, test } from 'bun:test';
import {
  IMPORT_INTERRUPTED,
  IMPORT_TOO_LARGE,
  IMPORT_WRONG_TYPE,
  importDefectMessage,
  importRules,
  MAX_IMPORT_BYTES,
  type Workspace,
} from '@postshelf/domain';
import { deleteMedia } from '../../src/index.ts';
import { databases } from '../support/databases.ts';
import { BROKEN_JPEG, DAMAGED_JPEG, JPEG, MP4, TEXT } from '../support/files.ts';
import {
  addImport,
  claimAs,
  countImports,
  expectNothingOpen,
  fileOf,
  heldFile,
  itemNow,
  LEASE_TIME,
  RETRY_DELAYS,
  startImports,
  URL,
} from '../support/imports.ts';
import { claimJobs } from '../support/jobs.ts';
import { publishedKeys } from '../support/objects.ts';
import { until } from '../support/waiting.ts';
import { inhabitedWorld, replacing, type World } from '../support/world.ts';

afterEach(databases.closeAll);

const [FIRST_DELAY = 0, SECOND_DELAY = 0] = RETRY_DELAYS;
const MAX_FAULTS = importRules(RETRY_DELAYS).faultDelays.length;

/** Milliseconds of a lease that is renewed within the test. */
const SHORT = 60;

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
    const { runner, heard } = startImports(world);
    await runner.runDue();
    expect(await heard(1)).toEqual(['active']);
    expect(await itemNow(world, id)).toMatchObject({
      status: 'active',
      name,
      fullName: `${workspace.id}/${id}/${name}`,
    });
    expect(await countImports(world)).toBe(0);
    expectNothingOpen(world);
  });

  test('is tried three times, with the configured delays, and fails with the last reason', async () => {
    const { id } = await addImport(world, workspace);
    world.remoteFiles.serve(URL, { status: 503 }, 'silent', { ...fileOf(MP4), ending: 'cut off' });
    const { runner, heard } = startImports(world);
    await runner.runDue();
    expect(await heard(1)).toEqual(['retry']);

    world.clock.advance(FIRST_DELAY - 1);
    await runner.runDue();
    expect(world.remoteFiles.requested).toHaveLength(1);
    world.clock.advance(1);
    await runner.runDue();
    expect(await heard(2)).toEqual(['retry', 'retry']);

    world.clock.advance(SECOND_DELAY - 1);
    await runner.runDue();
    expect(world.remoteFiles.requested).toHaveLength(2);
    expect((await itemNow(world, id)).status).toBe('processing');
    world.clock.advance(1);
    await runner.runDue();
    expect(await heard(3)).toEqual(['retry', 'retry', 'failed']);
    expect(await itemNow(world, id)).toMatchObject({
      status: 'failed',
      errorMessage: 'The server at files.example cut off the download.',
    });
    expect(await countImports(world)).toBe(0);
    expectNothingOpen(world);
  });

  test('is retried once per delay, without counting its failures as crashes', async () => {
    const { id } = await addImport(world, workspace);
    world.remoteFiles.serve(URL, { status: 503 });
    const retryDelays = Array<number>(MAX_FAULTS + 2).fill(1000);
    const { runner, heard } = startImports(world, { retryDelays });
    for (let tried = 1; tried <= retryDelays.length + 1; tried += 1) {
      await runner.runDue();
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
    ['no longer exists', { status: 410 }, 'The server at files.example answered 410.'],
    ['has a declared size above 2 GB', { ...fileOf(MP4), announcedSize: MAX_IMPORT_BYTES + 1 }, IMPORT_TOO_LARGE],
    ['is of another type', fileOf(TEXT), IMPORT_WRONG_TYPE],
    ["can't be parsed", fileOf(BROKEN_JPEG), IMPORT_WRONG_TYPE],
    ['is truncated', fileOf(DAMAGED_JPEG), importDefectMessage('damaged')],
  ] as const)('fails permanently if its file %s', async (_, answer, errorMessage) => {
    const { id } = await addImport(world, workspace);
    world.remoteFiles.serve(URL, answer);
    const { runner, heard } = startImports(world);
    await runner.runDue();
    expect(await heard(1)).toEqual(['failed']);
    expect(await itemNow(world, id)).toMatchObject({ status: 'failed', errorMessage });
    expect(world.remoteFiles.requested).toHaveLength(1);
    expect(await countImports(world)).toBe(0);
    expectNothingOpen(world);
  });

  test.each([
    [MAX_FAULTS, 'active', { status: 'active' }],
    [MAX_FAULTS + 1, 'failed', { status: 'failed', errorMessage: IMPORT_INTERRUPTED }],
  ] as const)('whose process died %d times ends as %s', async (deaths, outcome, item) => {
    const { id } = await addImport(world, workspace);
    world.remoteFiles.serve(URL, fileOf(MP4));
    for (let killed = 0; killed < deaths; killed += 1) {
      expect(await claimAs(world, `worker ${killed}`, 1)).not.toBeNull();
      world.clock.advance(1);
    }
    const { runner, heard } = startImports(world);
    await runner.runDue();
    expect(await heard(1)).toEqual([outcome]);
    expect(await itemNow(world, id)).toMatchObject(item);
    expect(world.remoteFiles.requested).toEqual(outcome === 'active' ? [URL] : []);
  });
});

describe('an internal fault', () => {
  const full = new Error('no space left');
  const fullStorage = () => replacing(world.storage, { stage: () => Promise.reject(full) });

  test("doesn't count as an attempt, and the import starts again after the first delay", async () => {
    const { id } = await addImport(world, workspace, { attempts: 1 });
    world.remoteFiles.serve(URL, fileOf(MP4));
    const { runner, heard, ends } = startImports({ ...world, storage: fullStorage() });
    await runner.runDue();
    expect(await heard(1)).toEqual(['fault']);
    expect(ends).toMatchObject([{ job: { subjectId: id }, outcome: 'fault', cause: full }]);
    expectNothingOpen(world);
    world.clock.advance(FIRST_DELAY - 1);
    expect(await claimAs(world, 'test')).toBeNull();
    world.clock.advance(1);
    expect(await claimAs(world, 'test')).toMatchObject({ subjectId: id, attempts: 1, claims: 2 });
  });

  test('that persists fails the import after increasing pauses', async () => {
    const { id } = await addImport(world, workspace);
    world.remoteFiles.serve(URL, fileOf(MP4));
    const { runAll } = startImports({ ...world, storage: fullStorage() }, { retryDelays: [] });
    const { faultDelays } = importRules([]);
    for (const [tried, delay] of faultDelays.entries()) {
      expect(await runAll()).toEqual(['fault']);
      world.clock.advance(delay - 1);
      expect(await runAll()).toEqual([]);
      expect(world.remoteFiles.requested).toHaveLength(tried + 1);
      world.clock.advance(1);
    }
    expect(await runAll()).toEqual(['failed']);
    expect(await itemNow(world, id)).toMatchObject({ status: 'failed', errorMessage: IMPORT_INTERRUPTED });
  });
});

describe('an import that loses its lease', () => {
  test('because its item is deleted ends its download at the next renewal', async () => {
    const item = await addImport(world, workspace);
    world.remoteFiles.serve(URL, heldFile(MP4, new Uint8Array(1)).file);
    const { runner, heard } = startImports(world, { rules: { leaseTime: SHORT } });
    await runner.runDue();
    await until(() => world.remoteFiles.openFiles() === 1);
    await deleteMedia(world, item, () => undefined);
    expect(await heard(1)).toEqual(['dropped']);
    expectNothingOpen(world);
  });

  test('to another process ends its download, and the lease stays with that process', async () => {
    const { id } = await addImport(world, workspace);
    world.remoteFiles.serve(URL, heldFile(MP4, new Uint8Array(1)).file);
    const { runner, heard } = startImports(world, { rules: { leaseTime: SHORT } });
    await runner.runDue();
    await until(() => world.remoteFiles.openFiles() === 1);
    world.clock.advance(SHORT);
    expect(await claimAs(world, 'another')).toMatchObject({ subjectId: id });
    expect(await heard(1)).toEqual(['dropped']);
    expectNothingOpen(world);
    expect((await world.jobs.renew('import', [id], { owner: 'another', until: 0 })).size).toBe(1);
  });

  test('before its file is published does not publish it', async () => {
    const { id } = await addImport(world, workspace);
    world.remoteFiles.serve(URL, fileOf(MP4));
    const jobs = replacing(world.jobs, {
      async renew(...lease) {
        world.clock.advance(LEASE_TIME);
        expect(await claimAs(world, 'another')).toMatchObject({ subjectId: id });
        return world.jobs.renew(...lease);
      },
    });
    expect(await startImports({ ...world, jobs }).runAll()).toEqual(['dropped']);
    expect(await publishedKeys(world)).toEqual([]);
    expect(await Array.fromAsync(world.trash.list())).toEqual([]);
    expect((await itemNow(world, id)).status).toBe('processing');
  });
});

describe('stopping a worker', () => {
  test('puts an import back, due immediately, without counting an attempt or an interruption', async () => {
    const { id } = await addImport(world, workspace, { attempts: 1 });
    world.remoteFiles.serve(URL, heldFile(MP4, new Uint8Array(1)).file);
    const { runner, heard } = startImports(world);
    await runner.runDue();
    await until(() => world.remoteFiles.openFiles() === 1);
    await runner.stop();
    expect(await heard(1)).toEqual(['dropped']);
    expectNothingOpen(world);
    expect(await claimAs(world, 'another')).toMatchObject({ subjectId: id, attempts: 1, claims: 1 });
  });

  test('waits for an import that is being finished', async () => {
    const { id } = await addImport(world, workspace);
    world.remoteFiles.serve(URL, fileOf(JPEG));
    const held = heldFinish((...outcome) => world.processing.finish(...outcome));
    const { runner, heard } = startImports({ ...world, processing: held.processing });
    await runner.runDue();
    await held.begun;
    const stopping = runner.stop();
    held.release();
    await stopping;
    expect(await heard(1)).toEqual(['active']);
    expect((await itemNow(world, id)).status).toBe('active');
    expectNothingOpen(world);
  });

  test("counts the start of an import that can't be finished, so that the next start reuses its object", async () => {
    const { id } = await addImport(world, workspace);
    world.remoteFiles.serve(URL, fileOf(JPEG), fileOf(JPEG));
    const held = heldFinish(() => Promise.reject(new Error('the database is away')));
    const { runner } = startImports({ ...world, processing: held.processing });
    await runner.runDue();
    await held.begun;
    const stopping = runner.stop();
    held.release();
    await stopping;
    expect(await publishedKeys(world)).toHaveLength(1);
    const [job] = await claimJobs(world, 'import', 'looks', 0);
    expect(job).toMatchObject({ subjectId: id, claims: 2 });
    expect(await startImports(world).runAll()).toEqual(['active']);
    expect(await itemNow(world, id)).toMatchObject({ status: 'active' });
    expect(await publishedKeys(world)).toHaveLength(1);
  });
});

/** Returns a repository whose `finish` waits until the test releases it. */
function heldFinish(finish: World['processing']['finish']) {
  const { promise: begun, resolve: begin } = Promise.withResolvers<void>();
  const { promise: released, resolve: release } = Promise.withResolvers<void>();
  const processing = replacing(world.processing, {
    async finish(...outcome) {
      begin();
      await released;
      return finish(...outcome);
    },
  });
  return { processing, begun, release };
}
