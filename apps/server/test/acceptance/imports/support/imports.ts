import { expect } from 'bun:test';
import { createHash } from 'node:crypto';
import { outlastKilled } from '../../support/disk.ts';
import { arrayAt, at, expectErrorShape, keysOf, type Reply, stringAt } from '../../support/reply.ts';
import { type MediaItem, mediaItem, mediaItems, oneMediaItem } from '../../support/shapes.ts';
import { until } from '../../support/until.ts';
import type { CallOptions, World } from '../../support/world.ts';

export const upload = 'POST /workspaces/{workspace}/media_contents';

/**
 * Settings under which imports may reach 127.0.0.1, but nothing else that isn't public, and are soon retried if the
 * origin fails. So many imports may run concurrently that none of a test file's imports has to wait. An import that
 * waits would request its file a second time.
 */
export const loopback = {
  IMPORT_ALLOWED_NETWORKS: '127.0.0.1/32',
  IMPORT_RETRY_DELAYS: '50,100',
  IMPORT_CONCURRENCY: '100',
  IMPORT_CONCURRENCY_PER_WORKSPACE: '100',
};

/** Disables covers for tests that don't need them, because making one is most of the work of a small import. */
export const withoutCovers = { FFMPEG_PATH: '/dev/null' };

/** Requests an import and returns the server's answer. */
export function importUrl(world: World, url: unknown, fields: object = {}, options: CallOptions = {}): Promise<Reply> {
  return world.call(options.token === 'foreign' ? upload.replace('workspace}', 'foreign}') : upload, {
    json: { url, ...fields },
    ...options,
  });
}

/** Repeats an attempt until it returns something, and returns its result. */
export async function eventually<T>(
  what: string,
  attempt: () => Promise<T | undefined> | T | undefined,
  deadline = 30_000,
): Promise<T> {
  let result: T | undefined;
  const hasResult = async (): Promise<boolean> => {
    result = await attempt();
    return result !== undefined;
  };
  await until(what, hasResult, deadline);
  return result as T;
}

function theOneItem(reply: Reply, status: number): MediaItem {
  expect({ status: reply.status, body: reply.text }).toEqual({ status, body: reply.text });
  expect(keysOf(reply.json)).toEqual(['data', 'message']);
  expect(stringAt(reply.json, 'message').length).toBeGreaterThan(0);
  expect(arrayAt(reply.json, 'data')).toHaveLength(1);
  const [item] = mediaItems(reply);
  if (item === undefined) throw new Error('The answer has no item.');
  return item;
}

/** "201 `{data: [media item], message: string}` Stored; every item in `data` is `active`". */
export function stored(reply: Reply): MediaItem {
  const item = theOneItem(reply, 201);
  expect(item.status).toBe('active');
  expect(item.error_message).toBeNull();
  return item;
}

/** "202 `{data: [media item], message: string}` Accepted; the item is `processing`". */
export function accepted(reply: Reply): MediaItem {
  const item = theOneItem(reply, 202);
  expect(item).toMatchObject({ status: 'processing', error_message: null, thumbnail: null });
  return item;
}

export async function show(world: World, id: string, token = 'all'): Promise<MediaItem> {
  const reply = await world.call(`GET /media_contents/${id}`, { token });
  expect({ status: reply.status, body: reply.text }).toEqual({ status: 200, body: reply.text });
  return oneMediaItem(reply);
}

/** "the client polls `GET /media_contents/{id}` until `status` is `active` or `failed`". */
export function settled(world: World, { id }: { id: string }, deadline = 30_000, token = 'all'): Promise<MediaItem> {
  const over = async () => {
    const item = await show(world, id, token);
    return item.status === 'processing' ? undefined : item;
  };
  return eventually(`the import ${id} has ended`, over, deadline);
}

const sha256 = (bytes: Uint8Array) => createHash('sha256').update(bytes).digest('hex');

/** "`active`: in the library": its link serves exactly the origin's bytes, and its object exists once. */
export async function expectActive(world: World, item: MediaItem, bytes: Uint8Array): Promise<void> {
  expect(item).toMatchObject({ status: 'active', error_message: null, size: bytes.length });
  expect(item.full_name).toEndWith(`/${item.id}/${item.full_name.split('/').at(-1)}`);
  const response = await fetch(item.link);
  expect(response.status).toBe(200);
  expect(sha256(new Uint8Array(await response.arrayBuffer()))).toBe(sha256(bytes));
  expect(await filesOf(world, item)).toHaveLength(1);
}

/** The files in the storage whose name contains the item's id. */
export const filesOf = (world: World, { id }: { id: string }): Promise<string[]> => world.keptFiles(id);

/**
 * "`error_message` is set … what went wrong, in words, with no inside address, no header, no stack", and "`failed`
 * items have no object".
 */
export async function expectFailed(world: World, item: MediaItem, message: RegExp = /./): Promise<void> {
  expect(item).toMatchObject({ status: 'failed', thumbnail: null });
  expect(item.error_message ?? '').toMatch(message);
  expectReadableSentence(item.error_message ?? '');
  expect((await fetch(item.link)).status).toBe(404);
  // The item may become `failed` before its object is removed.
  await eventually('its object is removed', async () => (await filesOf(world, item)).length === 0 || undefined);
}

/** Expects a readable sentence without technical terms. */
export function expectReadableSentence(sentence: string): void {
  expect(sentence).toMatch(/^[A-Z“"].*[.!]$/s);
  expect(sentence).not.toMatch(
    /\bE[A-Z]{4,}\b|[a-z]Error\b|Exception|undefined|null|NaN|errno|\n|\bat .+:\d+|node:|fetch/,
  );
  expect(sentence.length).toBeLessThan(300);
}

/** Expects an error with this status. If the status is 422, also expects that only the field `url` is refused. */
export function expectRefused(reply: Reply, statusCode: number): void {
  expect({ status: reply.status, body: reply.text }).toEqual({ status: statusCode, body: reply.text });
  expectErrorShape(reply);
  if (statusCode === 422) expect(keysOf(at(reply.json, 'errors'))).toEqual(['url']);
}

/** The number of items in the library with any status. */
export async function itemCount(world: World): Promise<number> {
  const reply = await world.call('GET /workspaces/{workspace}/media_contents?per_page=1');
  return Number(at(reply.json, 'meta', 'total'));
}

/** Every item of the workspace with that status, as the list returns them. */
export async function listed(world: World, status: string): Promise<MediaItem[]> {
  const reply = await world.call(`GET /workspaces/{workspace}/media_contents?per_page=100&status=${status}`);
  expect(reply.status).toBe(200);
  return arrayAt(reply.json, 'data').map(mediaItem);
}

/**
 * All files in the storage except the objects of items, of their covers, and of deleted items.
 *
 * @param doomed the files of deleted items; by default those that are due to be purged
 */
export async function leftovers(world: World, doomed?: readonly string[]): Promise<string[]> {
  const objects: string[] = [];
  for (let page = 1, last = 1; page <= last; page++) {
    const reply = await world.call(`GET /workspaces/{workspace}/media_contents?per_page=100&page=${page}`);
    last = Number(at(reply.json, 'meta', 'last_page'));
    for (const item of arrayAt(reply.json, 'data').map(mediaItem)) {
      if (item.status === 'active') objects.push(item.full_name);
      if (item.thumbnail !== null) objects.push(item.thumbnail.full_name);
    }
  }
  const files = await (doomed ? world.files() : world.keptFiles());
  for (const object of objects) expect(files.filter((path) => path.endsWith(object))).toHaveLength(1);
  // Files directly in the folder belong to the server itself (its key, its lock), and are not left over from imports.
  const known = [...objects, ...(doomed ?? (await world.awaitingDestruction()))];
  return files.filter((path) => path.includes('/') && !known.some((object) => path.endsWith(object)));
}

/**
 * Runs `gc`, and returns {@link leftovers}. For a bucket, always returns an empty list, because a bucket keeps
 * unfinished files of killed processes for a day.
 */
export async function leftoversAfterGc(world: World): Promise<string[]> {
  outlastKilled(world.dataDir);
  await world.run(['gc']);
  const left = await leftovers(world);
  return world.storage.isBucket ? [] : left;
}

export async function activeCount(world: World): Promise<number> {
  const reply = await world.call('GET /workspaces/{workspace}/media_contents?per_page=1&status=active');
  return Number(at(reply.json, 'meta', 'total'));
}
