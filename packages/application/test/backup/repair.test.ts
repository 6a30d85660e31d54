import { afterEach, expect, test } from 'bun:test';
import { type ActiveMedia, BackupError, type BackupMember, type ObjectSource } from '@postshelf/domain';
import { type ObjectProblem, repair, type UnrepairedProblem } from '../../src/index.ts';
import { digest } from '../support/bodies.ts';
import { databases } from '../support/databases.ts';
import { addImages, bodyOf, bytesUnder, countStaged, publish, publishedKeys } from '../support/objects.ts';
import { inhabitedWorld, replacing, type World } from '../support/world.ts';

afterEach(databases.closeAll);

async function library() {
  const world = await inhabitedWorld();
  const items = await addImages(world, world.workspace.id, 4);
  const originals = new Map<string, Uint8Array>();
  for (const { fullName } of items) originals.set(fullName, (await bytesUnder(world, fullName)) ?? new Uint8Array());
  const [gone, rotten, short, right] = items;
  if (!gone || !rotten || !short || !right) throw new Error('There are four.');
  return { world, items, originals, gone, rotten, short, right };
}

/** Replaces the bytes of an item's object. */
async function spoil(world: World, { fullName }: ActiveMedia, bytes: Uint8Array): Promise<void> {
  await world.storage.purge(fullName);
  await publish(world, fullName, bytes);
}

type Held = Pick<BackupMember, 'body'> & { readonly key: string; readonly sha256?: string };

/** Returns a source of these objects. Like a backup, it yields them in no particular order, and may yield one twice. */
function sourceOf(...held: readonly Held[]): ObjectSource & { readonly requested: ReadonlySet<string>[] } {
  const requested: ReadonlySet<string>[] = [];
  return {
    name: 'the source',
    requested,
    async *objects(keys) {
      requested.push(keys);
      for (const { key, body, sha256 = null } of held) if (keys.has(key)) yield { name: key, size: 0, sha256, body };
    },
  };
}

const copyOf = (originals: ReadonlyMap<string, Uint8Array>): Held[] =>
  Array.from(originals, ([key, bytes]) => ({ key, body: bodyOf(bytes) }));

async function mend(world: World, source: ObjectSource, hashes = true) {
  const [repaired, problems, failures]: [ObjectProblem[], UnrepairedProblem[], BackupError[]] = [[], [], []];
  const report = await repair({ ...world, digest }, source, {
    hashes,
    onRepaired: (problem) => void repaired.push(problem),
    onProblem: (problem) => void problems.push(problem),
    onSourceFailure: (error) => void failures.push(error),
  });
  expect(report).toMatchObject({ repaired: repaired.length, problems: problems.length });
  expect(countStaged(world)).toBe(0);
  return {
    repaired: repaired.map(({ id, problem }) => [id, problem]),
    problems: problems.map(({ id, problem, source: why }) => [id, problem, why]),
    failures,
    objects: report.objects,
  };
}

test('a repair requests and restores only missing and damaged objects', async () => {
  const { world, originals, gone, rotten, short, right } = await library();
  await world.storage.purge(gone.fullName);
  await spoil(world, rotten, new Uint8Array(rotten.content.size));
  await spoil(world, short, new Uint8Array(3));
  const untouched = world.backing.published.get(right.fullName);
  // Records that the previews of these items couldn't be made.
  for (const { id } of [rotten, right]) await world.previews.store(id, { hasFailed: true, placeholder: null });
  await world.previewStorage.put({ workspaceId: short.workspaceId, id: short.id, width: 160 }, new Uint8Array([1]));
  const source = sourceOf(...copyOf(originals));
  expect(await mend(world, source)).toEqual({
    repaired: [
      [gone.id, 'missing'],
      [rotten.id, 'hash'],
      [short.id, 'size'],
    ],
    problems: [],
    failures: [],
    objects: 4,
  });
  expect(source.requested.map((keys) => [...keys])).toEqual([[gone.fullName, rotten.fullName, short.fullName]]);
  for (const [key, bytes] of originals) expect(await bytesUnder(world, key)).toEqual(bytes);
  expect(world.backing.published.get(right.fullName)).toBe(untouched);
  const facts = await world.previews.factsOf([rotten.id, right.id]);
  expect([rotten, right].map(({ id }) => facts.get(id)?.hasFailed)).toEqual([false, true]);
  expect(await Array.fromAsync(world.previewStorage.list())).toEqual([]);
  const again = sourceOf(...copyOf(originals));
  expect(await mend(world, again)).toMatchObject({ repaired: [], problems: [] });
  expect(again.requested).toEqual([]);
});

test('a repair uses the second copy of an object in a source if the first one is damaged', async () => {
  const { world, originals, gone } = await library();
  await world.storage.purge(gone.fullName);
  const wrong = { key: gone.fullName, body: bodyOf(new Uint8Array(gone.content.size)) };
  expect(await mend(world, sourceOf(wrong, ...copyOf(originals)))).toMatchObject({ problems: [] });
});

test("a repair of an item without a hash checks the source's hash, or only the size if there is none", async () => {
  const { world, originals, gone, short } = await library();
  for (const item of [gone, short]) {
    await world.media.delete(item.id);
    await world.media.insert([{ ...item, content: { ...item.content, sha256: null } }]);
    await world.storage.purge(item.fullName);
  }
  const other = new Uint8Array(gone.content.size);
  const said = { key: gone.fullName, body: bodyOf(other), sha256: 'f'.repeat(64) };
  const unsaid = { key: short.fullName, body: bodyOf(originals.get(short.fullName) ?? other) };
  expect(await mend(world, sourceOf(said, unsaid))).toMatchObject({
    repaired: [[short.id, 'missing']],
    problems: [[gone.id, 'missing', 'damaged']],
  });
});

test('a repair restores objects read before a source breaks off, and counts unreadable ones as damaged', async () => {
  const { world, originals, gone, rotten, short } = await library();
  for (const item of [gone, rotten, short]) await world.storage.purge(item.fullName);
  const unreadable = async function* (): AsyncGenerator<Uint8Array> {
    yield new Uint8Array(1);
    throw new Error('EIO');
  };
  const broken = sourceOf();
  const source: ObjectSource = {
    ...broken,
    async *objects() {
      yield { name: gone.fullName, size: 0, sha256: null, body: unreadable() };
      const body = bodyOf(originals.get(rotten.fullName) ?? new Uint8Array());
      yield { name: rotten.fullName, size: 0, sha256: null, body };
      throw new BackupError('It is cut off.');
    },
  };
  const { repaired, problems, failures } = await mend(world, source);
  expect(repaired).toEqual([[rotten.id, 'missing']]);
  expect(problems).toEqual([
    [gone.id, 'missing', 'damaged'],
    [short.id, 'missing', 'absent'],
  ]);
  expect(failures.map(({ message }) => message)).toEqual(['It is cut off.']);
});

test('a repair publishes no object for an item that is deleted meanwhile', async () => {
  const { world, originals, gone, rotten } = await library();
  for (const item of [gone, rotten]) await world.storage.purge(item.fullName);
  const storage = replacing(world.storage, {
    stage: async (body, options) => {
      await world.media.delete(gone.id);
      return world.storage.stage(body, options);
    },
  });
  const outcome = await mend({ ...world, storage }, sourceOf(...copyOf(originals)));
  expect(outcome).toMatchObject({ repaired: [[rotten.id, 'missing']], problems: [] });
  expect(await publishedKeys(world)).not.toContain(gone.fullName);
});

test('a repair without hashes compares only sizes, but checks the hashes of the objects that it restores', async () => {
  const { world, originals, gone, rotten } = await library();
  await world.storage.purge(gone.fullName);
  await spoil(world, rotten, new Uint8Array(rotten.content.size));
  expect(await mend(world, sourceOf(...copyOf(originals)), false)).toMatchObject({ repaired: [[gone.id, 'missing']] });
  await world.storage.purge(gone.fullName);
  const wrong = sourceOf({ key: gone.fullName, body: bodyOf(new Uint8Array(gone.content.size)) });
  expect(await mend(world, wrong, false)).toMatchObject({ problems: [[gone.id, 'missing', 'damaged']] });
});
