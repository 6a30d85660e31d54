import { afterEach, beforeEach, describe, expect, test } from 'bun:test';
import {
  type ActiveMedia,
  JOB_RULES,
  limitWork,
  type MadePreviews,
  previewPath,
  Refusal,
  type Uuid,
  type Workspace,
} from '@postshelf/domain';
import { addWorkspace, sampleVideo } from '@postshelf/testing/contracts/samples';
import {
  collectGarbage,
  deleteMedia,
  deleteWorkspace,
  FairShares,
  findIncluded,
  openPreview,
  previewHandler,
} from '../../src/index.ts';
import { databases } from '../support/databases.ts';
import { claimJobs, countJobs, startRunner, type TestRunner, type TestRunnerOptions } from '../support/jobs.ts';
import { addImage, addImages, readObject } from '../support/objects.ts';
import { thrownBy } from '../support/refusals.ts';
import { unreachable } from '../support/storages.ts';
import { inhabitedWorld, replacing, type World } from '../support/world.ts';

afterEach(databases.closeAll);

let world: World;
let workspace: Workspace;
let item: ActiveMedia;
let missing: ActiveMedia[];

beforeEach(async () => {
  ({ workspace, ...world } = await inhabitedWorld());
  // The image is four pixels wide, so it has one preview, of its own size.
  item = await addImage(world, workspace.id);
  missing = [];
});

const never = new AbortController().signal;
const pathOf = ({ workspaceId, id }: ActiveMedia, width = 4): string => previewPath({ workspaceId, id, width });
const open = async (ports: World, path = pathOf(item), signal = never): Promise<string | null> => {
  const note = (lacking: ActiveMedia): void => void missing.push(lacking);
  const opened = await openPreview(ports, path, signal, note, { expires: null, signature: null });
  return opened && new TextDecoder('latin1').decode(await readObject(opened.object));
};
const kept = async (): Promise<readonly string[]> =>
  (await Array.fromAsync(world.previewStorage.list())).map(previewPath);
const factsOf = async ({ id }: ActiveMedia) => (await world.previews.factsOf([id])).get(id);
const remove = (): Promise<void> => deleteMedia(world, item, () => undefined);

/** Returns a maker that counts its calls, and waits until the test lets it continue. */
function heldMaker(answer: MadePreviews | null | Error = { files: [new Uint8Array([1])], placeholder: null }) {
  const { promise: released, resolve: release } = Promise.withResolvers<void>();
  const { promise: begun, resolve: begin } = Promise.withResolvers<void>();
  const held = { made: 0, stopped: 0, begun, release, ports: world };
  const make: World['previewMaker']['make'] = async (_, __, signal) => {
    held.made += 1;
    begin();
    const stopped = new Promise<never>((___, reject) => {
      signal.addEventListener('abort', () => {
        held.stopped += 1;
        reject(signal.reason);
      });
    });
    await Promise.race([released, stopped]);
    if (answer instanceof Error) throw answer;
    return answer;
  };
  const makeAhead: World['previewMaker']['makeAhead'] = (orders, signal) =>
    Promise.all(orders.map(({ source, sizes }) => make(source, sizes, signal)));
  held.ports = { ...world, previewMaker: { make, makeAhead } };
  return held;
}

const busyOf = (error: unknown): unknown => (error instanceof Refusal ? error.problem.code : error);

describe('a request for a preview', () => {
  test('makes the preview once, stores it with a placeholder, and reads it from then on', async () => {
    const { ports, release, ...held } = heldMaker({ files: [Buffer.from('preview')], placeholder: 'data:x' });
    const requested = Array.from({ length: 20 }, () => open(ports));
    await held.begun;
    release();
    expect(new Set(await Promise.all(requested))).toEqual(new Set(['preview']));
    expect(await open(heldMaker(new Error('requested twice')).ports)).toBe('preview');
    expect(await factsOf(item)).toEqual({ hasFailed: false, placeholder: 'data:x' });
    expect(await kept()).toEqual([pathOf(item)]);
  });

  test('shares one preview with concurrent requests, and stops making it when the last one is aborted', async () => {
    const held = heldMaker();
    const clients = Array.from({ length: 5 }, () => new AbortController());
    const requested = clients.map(({ signal }) => thrownBy(open(held.ports, pathOf(item), signal)));
    await held.begun;
    for (const client of clients.slice(1)) client.abort();
    expect((await Promise.all(requested.slice(1))).map(busyOf)).toEqual(Array(4).fill('malformed'));
    expect(held).toMatchObject({ made: 1, stopped: 0 });
    clients[0]?.abort();
    await requested[0];
    expect(held).toMatchObject({ made: 1, stopped: 1 });
    expect(await factsOf(item)).toEqual({ hasFailed: false, placeholder: null });
  });

  test('records a failure to decode, and no other failure', async () => {
    const broken = heldMaker(new Error('no memory'));
    broken.release();
    // Callers that wait for the first caller's work get its error as well.
    const refused = await Promise.all(Array.from({ length: 12 }, () => thrownBy(open(broken.ports))));
    expect(new Set(refused.map(busyOf))).toEqual(new Set(['unavailable', 'busy']));
    expect(await factsOf(item)).toMatchObject({ hasFailed: false });
    const failing = heldMaker(null);
    failing.release();
    expect(await open(failing.ports)).toBeNull();
    expect(await factsOf(item)).toEqual({ hasFailed: true, placeholder: null });
    expect(await open(heldMaker(new Error('tried again')).ports)).toBeNull();
    expect(await countJobs(world, 'preview')).toBe(0);
  });

  test('is refused if too many requests wait', async () => {
    const sizes = { uploads: 1, uploadsPerWorkspace: 1, imports: 1, importsPerWorkspace: 1, scans: 1, writes: 1 };
    const limits = limitWork(sizes);
    const previews = { ...limits.previews, slots: 1, perWorkspace: 1, queuePerWorkspace: 0, queue: 0 };
    const other = await addImage(world, workspace.id);
    const held = heldMaker();
    const ports = { ...held.ports, shares: new FairShares({ ...limits, previews }) };
    const first = open(ports);
    await held.begun;
    expect(busyOf(await thrownBy(open(ports, pathOf(other))))).toBe('busy');
    held.release();
    await first;
    expect(await open(ports, pathOf(other))).not.toBeNull();
  });

  test('is answered while another workspace uses all its slots for work that does not end', async () => {
    const held = heldMaker();
    const [, ...others] = await Promise.all(Array.from({ length: 20 }, () => addImage(world, workspace.id)));
    const requested = [item, ...others].map((each) => open(held.ports, pathOf(each)));
    await held.begun;
    const { id } = await addWorkspace(world);
    expect(await open(world, pathOf(await addImage(world, id)))).toContain('4x3');
    expect(held.made).toBe(2);
    held.release();
    expect(new Set(await Promise.all(requested))).toEqual(new Set(['\x01']));
  });

  test('is answered even if the storage has no space for the preview', async () => {
    const put = () => Promise.reject(new Refusal({ code: 'storage_low' }));
    const ports = { ...world, previewStorage: replacing(world.previewStorage, { put }) };
    expect(await open(ports)).toContain('4x3');
    expect(await kept()).toEqual([]);
  });

  test('finds no preview for another width, workspace or kind, nor for an item without an object', async () => {
    const video = sampleVideo(workspace.id);
    await world.media.insert([video]);
    const other = await inhabitedWorld();
    const rows = [
      pathOf(item, 5),
      pathOf(item, 160),
      pathOf(video, 160),
      pathOf({ ...item, workspaceId: other.workspace.id }),
    ];
    for (const path of [...rows, '', 'x', `../${pathOf(item)}`]) expect(await open(world, path)).toBeNull();
    expect(missing).toEqual([]);
    await world.storage.purge(item.fullName);
    expect(await open(world)).toBeNull();
    expect(missing).toEqual([item]);
    await world.workspaces.beginRemoval(workspace.id, 1);
    expect(await open(world)).toBeNull();
    expect(missing).toEqual([item]);
  });
});

describe('previews of new images', () => {
  const start = (ports: World = world, options?: TestRunnerOptions): TestRunner =>
    startRunner(ports, [previewHandler(ports)], options);
  const makeDue = (ports: World = world, options?: TestRunnerOptions): Promise<readonly string[]> =>
    start(ports, options).runAll();
  const countDue = (): Promise<number> => countJobs(world, 'preview');

  /** Returns a maker that records the ids of the images that each child process is given. */
  function watchedMaker(
    change: (made: readonly (MadePreviews | 'undecided' | null)[], nth: number) => typeof made = (made) => made,
  ) {
    const batches: Uuid[][] = [];
    let opened: Uuid[] = [];
    const storage = replacing(world.storage, {
      open(key) {
        opened.push(key.split('/')[1] as Uuid);
        return world.storage.open(key);
      },
    });
    const previewMaker = replacing(world.previewMaker, {
      async makeAhead(...orders) {
        batches.push(opened);
        opened = [];
        return change(await world.previewMaker.makeAhead(...orders), batches.length - 1);
      },
    });
    return { ports: { ...world, storage, previewMaker }, batches };
  }

  test('are made in advance, and are not due afterwards', async () => {
    const other = await addImage(world, workspace.id);
    expect(await makeDue()).toEqual(['made', 'made']);
    expect(await makeDue()).toEqual([]);
    expect(await kept()).toEqual([other, item].map((each) => pathOf(each)));
    const more = await findIncluded(world, workspace.id, [{ item, cover: null }], { details: true, usage: false });
    expect(more.previews?.get(item.id)?.placeholder).toStartWith('data:');
  });

  test('are made in batches of eight images of a workspace, newest first, with an outcome for each', async () => {
    const items = [item];
    for (let others = 0; others < 9; others += 1) {
      world.clock.advance(1);
      items.unshift(await addImage(world, workspace.id));
    }
    const { id } = await addWorkspace(world);
    const foreign = await addImage(world, id);
    const { ports, batches } = watchedMaker();
    const { runAll, ends } = start(ports);
    expect(await runAll()).toHaveLength(11);
    const ids = items.map((each) => each.id);
    const own = batches.filter(([first]) => first !== foreign.id);
    expect(own).toEqual([ids.slice(0, 8), ids.slice(8)]);
    expect(batches).toContainEqual([foreign.id]);
    expect(ends.map(({ job }) => job?.subjectId).toSorted()).toEqual([...ids, foreign.id].toSorted());
    expect(new Set(await kept())).toEqual(new Set([...items, foreign].map((each) => pathOf(each))));
  });

  test('wait until no request is being served, and yield to a new one', async () => {
    await addImages(world, workspace.id, 9);
    expect(await makeDue(world, { isQuiet: () => false })).toEqual([]);
    // A slot is taken, so that only one batch can be in progress at a time.
    const releaseSlot = await world.shares.take('previews', workspace.id, never);
    const { previewMaker } = world;
    let [looks, isQuiet] = [0, true];
    const makeAhead: typeof previewMaker.makeAhead = (orders, signal, isStillQuiet) =>
      previewMaker.makeAhead(orders, signal, () => {
        // A request arrives during the third image.
        if (++looks === 3) isQuiet = false;
        return isStillQuiet();
      });
    const ports = { ...world, previewMaker: replacing(previewMaker, { makeAhead }) };
    const outcomes = await makeDue(ports, { isQuiet: () => isQuiet });
    releaseSlot();
    expect(outcomes.toSorted()).toEqual([...Array(5).fill('later'), ...Array(3).fill('made')]);
    expect(await countDue()).toBe(7);
    // The jobs of interrupted items are due again in a second, and the interruption doesn't count as an attempt.
    expect(await makeDue()).toEqual(['made', 'made']);
    world.clock.advance(1000);
    expect(await claimJobs(world, 'preview', 'looks', 0)).toMatchObject(Array(5).fill({ claims: 1 }));
    expect(await makeDue()).toEqual(Array(5).fill('made'));
    expect(await countDue()).toBe(0);
  });

  test('are made one by one after the child process of a batch crashed, so that only the bad image fails', async () => {
    await addImages(world, workspace.id, 3);
    const { ports, batches } = watchedMaker((made, nth) => {
      const bad = [1, 0][nth] ?? 9;
      return made.map((each, index) => (index < bad ? each : index === 0 ? null : 'undecided'));
    });
    const outcomes = await makeDue(ports);
    expect(batches.map(({ length }) => length)).toEqual([4, 1, 1, 1]);
    expect(outcomes.toSorted()).toEqual(['failed', 'made', 'made', 'made']);
  });

  test('yield to a request even between images that are made one by one', async () => {
    await addImages(world, workspace.id, 3);
    let isQuiet = true;
    const { ports, batches } = watchedMaker((made, nth) => {
      if (nth === 1) isQuiet = false;
      return nth === 0 ? made.map(() => 'undecided') : made;
    });
    const outcomes = await makeDue(ports, { isQuiet: () => isQuiet });
    expect(batches.map(({ length }) => length)).toEqual([4, 1]);
    expect(outcomes.toSorted()).toEqual(['later', 'later', 'later', 'made']);
  });

  test('wait for a slot', async () => {
    const { shares } = world;
    const held = [
      await shares.take('previews', workspace.id, never),
      await shares.take('previews', workspace.id, never),
    ];
    expect(await makeDue()).toEqual([]);
    for (const releaseSlot of held) releaseSlot();
    expect(await makeDue()).toEqual(['made']);
  });

  test('are put back when the process stops, and the child process ends', async () => {
    const held = heldMaker();
    const { runner, ends } = start(held.ports);
    await runner.runDue();
    await held.begun;
    await runner.stop();
    expect(held.stopped).toBe(1);
    expect(ends.map(({ outcome }) => outcome)).toEqual(['later']);
    expect(await claimJobs(world, 'preview', 'looks', 0)).toMatchObject([{ claims: 1 }]);
    expect(await makeDue()).toEqual(['made']);
  });

  test('are retried after their process is killed, and left to requests if that happens too often', async () => {
    for (let kills = 0; kills < 4; kills += 1) {
      expect(await claimJobs(world, 'preview', `${kills}`)).toHaveLength(1);
      world.clock.advance(JOB_RULES.preview.leaseTime);
    }
    const other = await addImage(world, workspace.id);
    expect(await claimJobs(world, 'preview', 'killed')).toMatchObject([{ subjectId: other.id }, { claims: 5 }]);
    world.clock.advance(JOB_RULES.preview.leaseTime);
    expect((await makeDue()).toSorted()).toEqual(['failed', 'made']);
    expect(await kept()).toEqual([pathOf(other)]);
    expect(await open(world)).toContain('4x3');
  });

  test('are postponed after a fault, given up if the object is missing, and never delay a request', async () => {
    const broken = heldMaker(new Error('no memory'));
    broken.release();
    expect(await makeDue(broken.ports)).toEqual(['fault']);
    expect(await makeDue()).toEqual([]);
    world.clock.advance(60_000);
    const held = heldMaker();
    const making = makeDue(held.ports);
    await held.begun;
    expect(await open(world)).toContain('4x3');
    held.release();
    expect(await making).toEqual(['made']);
    expect(held.made).toBe(1);
    const lost = await addImage(world, workspace.id);
    await world.storage.purge(lost.fullName);
    expect(await makeDue()).toEqual(['missing']);
    expect(await countDue()).toBe(0);
  });

  test('wait for the storage during an outage of more than seven hours', async () => {
    const storage = unreachable(world.storage);
    const end = world.clock.now() + 8 * 3_600_000;
    while (world.clock.now() < end) {
      expect(await makeDue({ ...world, storage })).toEqual(['fault']);
      world.clock.advance(600_000);
    }
    expect(await makeDue()).toEqual(['made']);
  });

  test('wait a minute for space in the storage', async () => {
    const put = () => Promise.reject(new Refusal({ code: 'storage_low' }));
    expect(await makeDue({ ...world, previewStorage: replacing(world.previewStorage, { put }) })).toEqual(['unkept']);
    world.clock.advance(59_999);
    expect(await makeDue()).toEqual([]);
    world.clock.advance(1);
    expect(await makeDue()).toEqual(['made']);
  });

  test("of an image that can't be read don't delay the other previews in its batch", async () => {
    await addImages(world, workspace.id, 3);
    const storage = replacing(world.storage, {
      open: (key) => (key === item.fullName ? Promise.reject(new Error('out of reach')) : world.storage.open(key)),
    });
    expect((await makeDue({ ...world, storage })).toSorted()).toEqual(['fault', 'made', 'made', 'made']);
    expect(await countDue()).toBe(1);
  });

  test('of an item that is deleted meanwhile are not a fault', async () => {
    await addImage(world, workspace.id);
    const { previewMaker } = world;
    const makeAhead: typeof previewMaker.makeAhead = async () => {
      await remove();
      throw new Error('cannot be opened');
    };
    const outcomes = await makeDue({ ...world, previewMaker: replacing(previewMaker, { makeAhead }) });
    expect(outcomes.toSorted()).toEqual(['fault', 'gone']);
  });
});

describe('previews of items that are deleted', () => {
  test('are removed with the items, even while the previews are being made', async () => {
    const held = heldMaker();
    const requested = open(held.ports);
    await held.begun;
    await remove();
    held.release();
    expect(await requested).toBeNull();
    expect(await kept()).toEqual([]);
  });

  test('are removed with the workspace, or by garbage collection after a kill', async () => {
    await open(world);
    const { previewStorage } = world;
    const lost = { ...world, previewStorage: replacing(previewStorage, { purge: async () => undefined }) };
    await deleteMedia(lost, item, () => undefined);
    const stays = await addImage(world, workspace.id);
    await open(world, pathOf(stays));
    expect(await kept()).toEqual([pathOf(item), pathOf(stays)]);
    expect(await collectGarbage(world)).toMatchObject({ previews: 1, trashed: 0 });
    expect(await kept()).toEqual([pathOf(stays)]);
    await deleteWorkspace(world, workspace.id);
    expect(await kept()).toEqual([]);
  });
});
