import { type ActiveMedia, fullNameOf, type StoredObject, storeFile, type Uuid } from '@postshelf/domain';
import { newId } from '@postshelf/testing/contracts/samples';
import { fakeFile } from '@postshelf/testing/fakes';
import { FenceKeeper } from '../../src/index.ts';
import { digest } from './bodies.ts';
import type { World } from './world.ts';

/** Yields these chunks as a body. */
export async function* bodyOf(...chunks: readonly Uint8Array[]): AsyncGenerator<Uint8Array> {
  yield* chunks;
}

/** Returns the keys of all published objects, sorted. */
export async function publishedKeys(world: Pick<World, 'storage'>): Promise<readonly string[]> {
  const keys: string[] = [];
  for await (const { key } of world.storage.list()) keys.push(key);
  return keys.sort();
}

/** Returns the number of staged bodies, published or not, that weren't discarded. */
export const countStaged = ({ backing }: Pick<World, 'backing'>): number => backing.staged.size;

export const readObject = (object: StoredObject): Promise<Uint8Array> => new Response(object.body()).bytes();

/** Returns the bytes under a key; null if there is no object. */
export async function bytesUnder(world: Pick<World, 'storage'>, key: string): Promise<Uint8Array | null> {
  const object = await world.storage.open(key);
  return object && readObject(object);
}

/** Publishes bytes under a key, without a row. */
export async function publish(world: Pick<World, 'storage'>, key: string, bytes: Uint8Array): Promise<void> {
  const staged = await world.storage.stage(bodyOf(bytes), { limit: bytes.length });
  await staged.publish(key);
  await staged.discard();
}

/** Stores a JPEG, padded by this many bytes, as an object and a row. Returns its item. */
export async function addImage(
  world: World,
  workspaceId: Uuid,
  { name = 'beach.jpg', padding = 0 } = {},
): Promise<ActiveMedia> {
  const facts = { type: 'image/jpeg', width: 4, height: 3, time: null } as const;
  const bytes = fakeFile(facts, padding);
  const id = world.ids.next();
  const fullName = fullNameOf(workspaceId, id, name);
  const details = { id, workspaceId, folderId: null, label: null, name, fullName };
  const item = storeFile(details, { ...facts, ...(await digest(bodyOf(bytes))), details: null }, world.clock.now());
  await publish(world, fullName, bytes);
  await world.media.insert([item]);
  return item;
}

/** Stores this many JPEGs, each a byte longer than the one before. */
export async function addImages(world: World, workspaceId: Uuid, count: number): Promise<ActiveMedia[]> {
  const items: ActiveMedia[] = [];
  for (let padding = 0; padding < count; padding += 1) items.push(await addImage(world, workspaceId, { padding }));
  return items;
}

/**
 * Changes the fence once, as a running process does every minute, and then purges the objects whose deletion was
 * recorded before that.
 */
export const destroyDeleted = (world: World): Promise<number> =>
  new FenceKeeper({ ...world, ids: { next: newId } }, newId(), {
    first: 0,
    interval: 0,
    lease: 0,
    purging: 30_000,
  }).step();
