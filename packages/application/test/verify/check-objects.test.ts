import { afterEach, beforeEach, describe, expect, test } from 'bun:test';
import { type ActiveMedia, CHECK_INTERVAL, JOB_RULES, type Workspace } from '@postshelf/domain';
import { sampleImage } from '@postshelf/testing/contracts/samples';
import { type CheckOptions, checkHandler, scheduleCheck } from '../../src/index.ts';
import { databases } from '../support/databases.ts';
import { countJobs, startRunner, type TestRunner } from '../support/jobs.ts';
import { publish } from '../support/objects.ts';
import { nextTurn, until } from '../support/waiting.ts';
import { inhabitedWorld, replacing, type World } from '../support/world.ts';

afterEach(databases.closeAll);

const LEASE_TIME = JOB_RULES.check.leaseTime;

let world: World;
let workspace: Workspace;
let found: string[];

beforeEach(async () => {
  const inhabited = await inhabitedWorld();
  [world, workspace, found] = [inhabited, inhabited.workspace, []];
});

function start(ports: World = world, change: Partial<CheckOptions> = {}): TestRunner {
  const options = {
    pause: async () => undefined,
    onMissing: ({ id, problem }, count) => void found.push(`${count} ${id} ${problem}`),
    ...change,
  } satisfies CheckOptions;
  return startRunner(ports, [checkHandler(ports, options)]);
}

/** Schedules a check as a start of the service does, and runs the jobs that are due. */
async function check(ports: World = world, change: Partial<CheckOptions> = {}): Promise<readonly string[]> {
  await scheduleCheck(ports);
  return start(ports, change).runAll();
}

/** Adds items with their objects. Returns them in the order of their ids. */
async function addItems(count: number): Promise<readonly ActiveMedia[]> {
  const items: ActiveMedia[] = [];
  for (let number = 0; number < count; number += 1) {
    const sample = sampleImage(workspace.id, { id: world.ids.next() });
    const item = { ...sample, content: { ...sample.content, size: 3 } };
    await world.media.insert([item]);
    await publish(world, item.fullName, new Uint8Array(3));
    items.push(item);
  }
  return items.toSorted((a, b) => (a.id < b.id ? -1 : 1));
}

/** Returns ports that record the key of each object that is checked. */
function counting() {
  const looks: string[] = [];
  const open = (key: string) => {
    looks.push(key);
    return world.storage.open(key);
  };
  return { ports: { ...world, storage: replacing(world.storage, { open }) }, looks };
}

describe('a check of all objects', () => {
  test('reports every active item whose object is missing or has another size, and nothing else', async () => {
    const items = await addItems(250);
    const [one, two] = [items[7], items[180]] as [ActiveMedia, ActiveMedia];
    await world.storage.purge(one.fullName);
    await world.storage.purge(two.fullName);
    await publish(world, two.fullName, new Uint8Array(1));
    expect(await check()).toEqual(['missing']);
    expect(found).toEqual([`1 ${one.id} missing`, `2 ${two.id} size`]);
    expect(await world.objectChecks.find()).toMatchObject({
      startedAt: null,
      finishedAt: world.clock.now(),
      lastChecked: 250,
      lastMissing: 2,
    });
  });

  test('pauses after each object, and checks one at a time', async () => {
    await addItems(3);
    let [pauses, open] = [0, 0];
    const storage = replacing(world.storage, {
      open: async (key) => {
        open += 1;
        expect(open).toBe(1);
        const object = await world.storage.open(key);
        open -= 1;
        return object;
      },
    });
    const pause = async (): Promise<void> => {
      pauses += 1;
    };
    await check({ ...world, storage }, { pause });
    expect(pauses).toBe(3);
  });

  test('does not report an item that is deleted meanwhile', async () => {
    const [item] = (await addItems(1)) as [ActiveMedia];
    const open = async (key: string) => {
      await world.media.delete(item.id);
      await world.storage.purge(key);
      return world.storage.open(key);
    };
    await check({ ...world, storage: replacing(world.storage, { open }) });
    expect(found).toEqual([]);
  });

  test('is scheduled only once, as a job of the library that is due immediately', async () => {
    await Promise.all([scheduleCheck(world), scheduleCheck(world)]);
    expect(await countJobs(world, 'check')).toBe(1);
    const library = (await world.library.find()) ?? expect.unreachable();
    const { runAll, ends } = start();
    expect(await runAll()).toEqual(['finished']);
    expect(ends).toMatchObject([{ job: { subjectId: library.id, workspaceId: null } }]);
    expect(await countJobs(world, 'check')).toBe(1);
  });

  test('starts again a week after the last one, or when the service starts after its clock was set back', async () => {
    expect(await check()).toEqual(['finished']);
    world.clock.advance(CHECK_INTERVAL - 1);
    expect(await check()).toEqual([]);
    world.clock.advance(1);
    expect(await start().runAll()).toEqual(['finished']);
    world.clock.advance(-1);
    expect(await check()).toEqual(['finished']);
  });

  test('continues where it was stopped, with the count of problems so far', async () => {
    const items = await addItems(10);
    await world.storage.purge(items[2]?.fullName ?? '');
    await scheduleCheck(world);
    const stopping: { stop?: Promise<void> } = {};
    const open = (key: string) => {
      if (key === items[5]?.fullName) stopping.stop = stopped.runner.stop();
      return world.storage.open(key);
    };
    const stopped = start({ ...world, storage: replacing(world.storage, { open }) });
    await stopped.runner.runDue();
    await until(() => stopping.stop !== undefined);
    await stopping.stop;
    expect(stopped.ends).toMatchObject([{ outcome: 'stopped' }]);
    expect(await world.objectChecks.find()).toMatchObject({ checked: 6, missing: 1, cursor: items[5]?.id });
    const { ports: next, looks } = counting();
    expect(await start(next).runAll()).toEqual(['missing']);
    expect(looks).toEqual(items.slice(6).map((item) => item.fullName));
    expect(await world.objectChecks.find()).toMatchObject({ lastChecked: 10, lastMissing: 1 });
  });

  test('saves its position every ten seconds, so that another process can continue after a kill', async () => {
    const items = await addItems(10);
    await scheduleCheck(world);
    const killed = Promise.withResolvers<void>();
    const pause = async () => {
      world.clock.advance(4_000);
      if ((await world.objectChecks.find()).checked !== 4) return;
      killed.resolve();
      await new Promise<never>(() => undefined);
    };
    await start(world, { pause }).runner.runDue();
    await killed.promise;
    expect(await start().runAll()).toEqual([]);
    world.clock.advance(LEASE_TIME);
    const { ports, looks } = counting();
    expect(await start(ports).runAll()).toEqual(['finished']);
    expect(looks).toEqual(items.slice(4).map((item) => item.fullName));
  });

  test('ends in its process once another process has taken it over', async () => {
    await addItems(10);
    await scheduleCheck(world);
    const pause = async () => {
      world.clock.advance(LEASE_TIME);
      expect(await start().runAll()).toEqual(['finished']);
    };
    const slow = start(world, { pause });
    await slow.runner.runDue();
    expect(await slow.heard(1)).toEqual(['held']);
    expect(await world.objectChecks.find()).toMatchObject({ startedAt: null, lastChecked: 10 });
    await nextTurn();
    expect(await start().runAll()).toEqual([]);
  });

  test('stops when the storage is unreachable, saves its position, and reports nothing as missing', async () => {
    const items = await addItems(5);
    const open = (key: string) => {
      if (key === items[3]?.fullName) throw new Error('out of reach');
      return world.storage.open(key);
    };
    const storage = replacing(world.storage, { open: async (key) => open(key) });
    expect(await check({ ...world, storage })).toEqual(['fault']);
    expect(found).toEqual([]);
    expect(await world.objectChecks.find()).toMatchObject({ cursor: items[2]?.id });
    world.clock.advance(60_000);
    expect(await start().runAll()).toEqual(['finished']);
  });
});
