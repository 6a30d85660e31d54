import { afterEach, beforeEach, describe, expect, test } from 'bun:test';
import { JOB_RULES, type RemovedCounts, type Uuid, type Workspace } from '@postshelf/domain';
import { newId } from '@postshelf/testing/contracts/samples';
import { memoryMarker } from '@postshelf/testing/fakes';
import { beginRemoval, deleteWorkspace, OwnershipRefused, removalHandler } from '../../src/index.ts';
import { databases } from '../support/databases.ts';
import { afterCallNumber, behindEachCall, interruptible, workUntilKilled } from '../support/interruptions.ts';
import { countJobs, startRunner, type TestRunner } from '../support/jobs.ts';
import { addImages, publishedKeys } from '../support/objects.ts';
import { refusalOf } from '../support/refusals.ts';
import { inhabitedWorld, replacing, restarted, type World } from '../support/world.ts';

afterEach(databases.closeAll);

let world: World;
let workspace: Workspace;
let removed: [Uuid, RemovedCounts][];

async function prepare(): Promise<void> {
  ({ workspace, ...world } = await inhabitedWorld());
  removed = [];
}

beforeEach(prepare);

const start = (ports: World = world): TestRunner =>
  startRunner(ports, [removalHandler(ports, (...gone) => void removed.push(gone))]);

async function expectGone(items: readonly { readonly fullName: string }[]): Promise<void> {
  expect(await world.workspaces.list()).toEqual([]);
  expect(await world.workspaces.pendingRemovals()).toEqual([]);
  expect(await publishedKeys(world)).toEqual([]);
  const trashed = (await Array.fromAsync(world.trash.list())).map(({ key }) => key);
  expect(trashed.toSorted()).toEqual(items.map(({ fullName }) => fullName).toSorted());
  expect(await countJobs(world, 'removal')).toBe(0);
}

describe('a workspace that is deleted', () => {
  test('is not found by any request, and a job removes its contents', async () => {
    const items = await addImages(world, workspace.id, 3);
    await beginRemoval(world, workspace);
    expect(await world.workspaces.find(workspace.id)).toBeNull();
    expect(await refusalOf(beginRemoval(world, workspace))).toEqual({ code: 'not_found' });
    expect(await countJobs(world, 'removal')).toBe(1);
    expect(await start().runAll()).toEqual(['removed']);
    expect(removed).toMatchObject([[workspace.id, { objects: 3 }]]);
    await expectGone(items);
  });

  test('leaves no job if deleteWorkspace removes it directly', async () => {
    const items = await addImages(world, workspace.id, 2);
    await deleteWorkspace(world, workspace.id);
    await expectGone(items);
    expect(await start().runAll()).toEqual([]);
  });

  test('is removed in steps, so that another process can continue when one stops', async () => {
    const items = await addImages(world, workspace.id, 250);
    await beginRemoval(world, workspace);
    const stops: Promise<void>[] = [];
    const workspaces = replacing(world.workspaces, {
      async removeBatch(...step) {
        const remains = await world.workspaces.removeBatch(...step);
        if (remains && remains.fullNames.length > 0) stops.push(stopped.runner.stop());
        return remains;
      },
    });
    const stopped = start({ ...world, workspaces });
    await stopped.runner.runDue();
    expect(await stopped.heard(1)).toEqual(['stopped']);
    await Promise.all(stops);
    expect(stops).toHaveLength(1);
    expect(removed).toEqual([]);
    expect((await publishedKeys(world)).length).toBeLessThan(items.length);
    expect(await start().runAll()).toEqual(['removed']);
    await expectGone(items);
  });

  test('is removed eventually, wherever a process is killed', async () => {
    const calls = await behindEachCall(async (number) => {
      await databases.closeAll();
      await prepare();
      await addImages(world, workspace.id, 2);
      await beginRemoval(world, workspace);
      const made = await workUntilKilled(world, number, start);
      world.clock.advance(JOB_RULES.removal.leaseTime);
      const later = restarted(world);
      const isGone = (await world.workspaces.pendingRemovals()).length === 0;
      expect(await start(later).runAll()).toEqual(isGone ? [] : ['removed']);
      expect(await world.workspaces.pendingRemovals()).toEqual([]);
      expect(await countJobs(world, 'removal')).toBe(0);
      return made;
    });
    expect(calls).toEqual(expect.arrayContaining(['jobs.claim', 'workspaces.removeBatch']));
  });

  test('is removed even if another process takes over after any call', async () => {
    await behindEachCall(async (number) => {
      await databases.closeAll();
      await prepare();
      const items = await addImages(world, workspace.id, 2);
      await beginRemoval(world, workspace);
      const { afterCall, calls } = afterCallNumber(number, async () => {
        world.clock.advance(JOB_RULES.removal.leaseTime);
        await start().runAll();
      });
      await start(interruptible(world, afterCall)).runAll();
      await expectGone(items);
      return calls;
    });
  });
});

test('removing a workspace deletes nothing in another library’s storage, and is retried every minute', async () => {
  const items = await addImages(world, workspace.id, 1);
  await beginRemoval(world, workspace);
  const mark = { library: newId(), generation: 0, restoring: null };
  const { runAll, ends } = start({ ...world, marker: memoryMarker({ mark }) });
  for (let minute = 0; minute < 10; minute += 1) {
    expect(await runAll()).toEqual(['fault']);
    expect(ends.at(-1)?.cause).toBeInstanceOf(OwnershipRefused);
    world.clock.advance(60_000);
  }
  expect(await publishedKeys(world)).toEqual(items.map(({ fullName }) => fullName));
  expect(await start().runAll()).toEqual(['removed']);
  await expectGone(items);
});
