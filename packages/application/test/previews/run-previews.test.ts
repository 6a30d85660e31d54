import { afterEach, beforeEach, describe, expect, test } from 'bun:test';
import {
  type ActiveMedia,
  limitWork,
  type MadePreviews,
  previewPath,
  Refusal,
  type Workspace,
} from '@postshelf/domain';
import { addWorkspace, sampleVideo } from '@postshelf/testing/contracts/samples';
import {
  collectGarbage,
  type DuePreviews,
  deleteMedia,
  deleteWorkspace,
  FairShares,
  findIncluded,
  makeDuePreviews,
  openPreview,
} from '../../src/index.ts';
import { databases } from '../support/databases.ts';
import { addImage, readObject } from '../support/objects.ts';
import { thrownBy } from '../support/refusals.ts';
import { inhabitedWorld, replacing, type World } from '../support/world.ts';

afterEach(databases.closeAll);

let world: World;
let workspace: Workspace;
let item: ActiveMedia;
let missing: ActiveMedia[];

beforeEach(async () => {
  ({ workspace, ...world } = await inhabitedWorld());
  // Four pixels wide: it has one preview, of its own size.
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

/** A maker that counts its calls, and waits until the test lets it continue. */
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
  test('makes it once, stores it with a placeholder, and reads it from then on', async () => {
    const { ports, release, ...held } = heldMaker({ files: [Buffer.from('preview')], placeholder: 'data:x' });
    const requested = Array.from({ length: 20 }, () => open(ports));
    await held.begun;
    release();
    expect(new Set(await Promise.all(requested))).toEqual(new Set(['preview']));
    expect(await open(heldMaker(new Error('requested twice')).ports)).toBe('preview');
    expect(await factsOf(item)).toEqual({ hasFailed: false, placeholder: 'data:x' });
    expect(await kept()).toEqual([pathOf(item)]);
  });

  test('makes one for all concurrent requests, and stops when the last of them is aborted', async () => {
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
    // Also thrown to the callers that joined.
    const refused = await Promise.all(Array.from({ length: 12 }, () => thrownBy(open(broken.ports))));
    expect(new Set(refused.map(busyOf))).toEqual(new Set(['unavailable', 'busy']));
    expect(await factsOf(item)).toMatchObject({ hasFailed: false });
    const failing = heldMaker(null);
    failing.release();
    expect(await open(failing.ports)).toBeNull();
    expect(await factsOf(item)).toEqual({ hasFailed: true, placeholder: null });
    expect(await open(heldMaker(new Error('tried again')).ports)).toBeNull();
    expect(await world.previews.due(Number.MAX_SAFE_INTEGER, 10)).toEqual([]);
  });

  test('is refused if too many wait', async () => {
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

  test('is answered even if the storage has no space to keep it', async () => {
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
    await world.storage.remove(item.fullName);
    expect(await open(world)).toBeNull();
    expect(missing).toEqual([item]);
    await world.workspaces.beginRemoval(workspace.id, 1);
    expect(await open(world)).toBeNull();
    expect(missing).toEqual([item]);
  });
});

describe('previews of new images', () => {
  const makeDue = async (
    ports: World,
    { signal = never, isQuiet = (): boolean => true } = {},
  ): Promise<readonly DuePreviews['outcome'][]> => {
    const outcomes: DuePreviews['outcome'][] = [];
    await makeDuePreviews(ports, { signal, isQuiet, random: () => 0, onEnd: ({ outcome }) => outcomes.push(outcome) });
    return outcomes;
  };

  test('are made in advance, and are not due afterwards', async () => {
    const other = await addImage(world, workspace.id);
    expect(await makeDue(world)).toEqual(['made', 'made']);
    expect(await makeDue(world)).toEqual([]);
    expect(await kept()).toEqual([other, item].map((each) => pathOf(each)));
    const more = await findIncluded(world, workspace.id, [{ item, cover: null }], { details: true, usage: false });
    expect(more.previews?.get(item.id)?.placeholder).toStartWith('data:');
  });

  test('wait until no request is being answered', async () => {
    for (let others = 0; others < 9; others += 1) await addImage(world, workspace.id);
    expect(await makeDue(world, { isQuiet: () => false })).toEqual([]);
    let looks = 0;
    // Looked at before the group and after each image but the last.
    const isQuiet = () => ++looks <= 3;
    expect(await makeDue(world, { isQuiet })).toHaveLength(3);
    expect(await world.previews.depth()).toBe(7);
    looks = 0;
    expect(await makeDue(world, { isQuiet: () => ++looks !== 3 })).toHaveLength(2);
    expect(await makeDue(world)).toHaveLength(5);
    expect(await world.previews.depth()).toBe(0);
  });

  test('are decoded together only with those of their workspace', async () => {
    const { id } = await addWorkspace(world);
    const [second, other] = [await addImage(world, workspace.id), await addImage(world, id)];
    const groups: number[] = [];
    const { previewMaker } = world;
    const makeAhead: typeof previewMaker.makeAhead = (orders, ...args) => {
      groups.push(orders.length);
      return previewMaker.makeAhead(orders, ...args);
    };
    await makeDue({ ...world, previewMaker: replacing(previewMaker, { makeAhead }) });
    expect(groups.toSorted()).toEqual([1, 2]);
    expect(new Set(await kept())).toEqual(new Set([item, second, other].map((each) => pathOf(each))));
  });

  test('are made one by one once their process has ended early, so that only the bad one fails', async () => {
    for (let others = 0; others < 3; others += 1) await addImage(world, workspace.id);
    const { previewMaker } = world;
    const groups: number[] = [];
    const makeAhead: typeof previewMaker.makeAhead = async (orders, ...args) => {
      groups.push(orders.length);
      const made = await previewMaker.makeAhead(orders, ...args);
      const bad = groups.length === 1 ? 1 : groups.length === 2 ? 0 : 9;
      return made.map((each, index) => (index < bad ? each : index === 0 ? null : 'undecided'));
    };
    const outcomes = await makeDue({ ...world, previewMaker: replacing(previewMaker, { makeAhead }) });
    expect(groups).toEqual([4, 1, 1, 1]);
    expect(outcomes.toSorted()).toEqual(['failed', 'made', 'made', 'made']);
  });

  test('wait for uploads, for requests and for a slot', async () => {
    const { shares } = world;
    const releaseSlot = await shares.take('uploads', workspace.id, never);
    expect(await makeDue(world)).toEqual([]);
    releaseSlot();
    expect(await makeDue({ ...world, shares: replacing(shares, { tryTake: () => null }) })).toEqual(['later']);
    expect(await makeDue(world)).toEqual(['made']);
  });

  test('are made of eight images at a time while files are received', async () => {
    for (let others = 0; others < 9; others += 1) await addImage(world, workspace.id);
    const { shares, previewMaker } = world;
    const makeAhead: typeof previewMaker.makeAhead = async (...args) => {
      (await shares.take('uploads', workspace.id, never))();
      return previewMaker.makeAhead(...args);
    };
    expect(await makeDue({ ...world, previewMaker: replacing(previewMaker, { makeAhead }) })).toHaveLength(8);
    expect(await makeDue(world)).toEqual(['made', 'made']);
  });

  test('are postponed after a fault, dropped if the object is missing, and no request waits for them', async () => {
    const broken = heldMaker(new Error('no memory'));
    broken.release();
    expect(await makeDue(broken.ports)).toEqual(['fault']);
    expect(await makeDue(world)).toEqual([]);
    world.clock.advance(60_000);
    const held = heldMaker();
    const making = makeDue(held.ports);
    await held.begun;
    expect(await open(world)).toContain('4x3');
    held.release();
    expect(await making).toEqual(['made']);
    expect(held.made).toBe(1);
    const lost = await addImage(world, workspace.id);
    await world.storage.remove(lost.fullName);
    expect(await makeDue(world)).toEqual(['missing']);
    expect(await makeDue(world)).toEqual([]);
  });
});

describe('previews of items that are deleted', () => {
  test('are removed with them, even while they are being made', async () => {
    const held = heldMaker();
    const requested = open(held.ports);
    await held.begun;
    await remove();
    held.release();
    expect(await requested).toBeNull();
    expect(await kept()).toEqual([]);
  });

  test('are removed with the workspace, or after a kill by garbage collection', async () => {
    await open(world);
    const { previewStorage } = world;
    const lost = { ...world, previewStorage: replacing(previewStorage, { remove: async () => undefined }) };
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
