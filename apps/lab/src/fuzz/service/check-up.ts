import { Database } from 'bun:sqlite';
import { readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { memoryOf, startStopwatch } from '@postshelf/harness';
import { seedBytes } from '../bytes/bytes.ts';
import type { World } from './world.ts';

const MIB = 1024 * 1024;

/**
 * Maximum bytes of memory that the service may use. After its start a service uses 110 MiB, and during ten uploads of
 * 200 MB it uses 150 MiB.
 */
const MAX_PEAK = 400 * MIB;

/**
 * Milliseconds within which all work must end. Stalled requests must time out, and imports must make their last
 * attempt.
 */
const SETTLING = 60_000;

/**
 * Checks that the service is healthy: it runs, has no errors in its log, stays within its memory limit, and serves
 * other clients.
 */
export async function checkUp(world: World): Promise<readonly string[]> {
  const code = world.program.exitCode();
  if (code !== null) return [`The service ended with ${code}.`];
  const complaints = (await world.log.complaints()).map((line) => `The log says: ${line}`);
  const { peak } = await memoryOf(world.program.pid);
  if (peak > MAX_PEAK) complaints.push(`The service held ${Math.round(peak / MIB)} MiB.`);
  try {
    await usePlainly(world);
  } catch (error) {
    complaints.push(`A plain request failed: ${error}`);
  }
  return complaints;
}

/**
 * Stores an image, reads it back and deletes it.
 *
 * @throws Error if that fails
 */
async function usePlainly({ client, ids }: World): Promise<void> {
  const image = seedBytes('webp-lossless.webp');
  const [stored] = (await client.upload(ids.workspace ?? '', image)).data;
  if (!stored) throw new Error('Nothing was stored.');
  const file = await fetch(stored.link, { keepalive: false });
  if (!Buffer.from(await file.arrayBuffer()).equals(image)) throw new Error('Other bytes came back.');
  const deleted = await client.call('DELETE', `/v1/media_contents/${stored.id}`);
  if (deleted.status !== 204) throw new Error(`Deleting answered ${deleted.status}.`);
}

/** Waits until all work has ended, and lists files and rows that belong to no item. */
export async function leftovers(world: World): Promise<readonly string[]> {
  using stopwatch = startStopwatch();
  for (;;) {
    const found = [...(await unfinished(world)), ...(await staged(world))];
    if (found.length === 0) break;
    if (stopwatch.elapsed() > SETTLING) return found;
    await Bun.sleep(100);
  }
  await world.postshelf(['gc']);
  await world.postshelf(['verify']);
  return strays(world);
}

interface Page {
  readonly data: readonly { readonly full_name: string; readonly thumbnail: { readonly full_name: string } | null }[];
  readonly meta: { readonly total: number; readonly last_page: number };
}

const list = ({ client, ids }: World, query: string): Promise<Page> =>
  client.must('GET', `/v1/workspaces/${ids.workspace}/media_contents?${query}`);

async function unfinished(world: World): Promise<readonly string[]> {
  const { meta } = await list(world, 'status=processing');
  return meta.total === 0 ? [] : [`${meta.total} items are processing for ever.`];
}

async function staged(world: World): Promise<readonly string[]> {
  const paths = await filesBelow(join(world.data, 'media'));
  return paths.filter((path) => path.startsWith('.staging/')).map((path) => `${path} is left over.`);
}

/**
 * Returns complaints about stored files that belong to no item. It compares the files on disk with the items that the
 * API lists.
 */
async function strays(world: World): Promise<readonly string[]> {
  const known = new Set<string>();
  for (let page = 1, last = 1; page <= last; page += 1) {
    const { data, meta } = await list(world, `per_page=100&status=active&page=${page}`);
    last = meta.last_page;
    for (const { full_name, thumbnail } of data) {
      known.add(full_name);
      if (thumbnail) known.add(thumbnail.full_name);
    }
  }
  for (const fullName of ofDeletedItems(world)) known.add(fullName);
  const objects = (await filesBelow(join(world.data, 'media'))).filter((path) => !path.startsWith('.'));
  return objects.filter((path) => !known.has(path)).map((path) => `${path} belongs to no item.`);
}

/**
 * Returns the files of items in the trash, and of deleted items. The service keeps a deleted item's file as long as a
 * copy of the database could still contain the item's row.
 */
function ofDeletedItems(world: World): readonly string[] {
  using database = new Database(join(world.data, 'postshelf.db'), { readonly: true });
  const deleted = 'select full_name from deletions where full_name is not null';
  const rows = database.query(`${deleted} union all select full_name from trashed_media`).values();
  return rows.map(([fullName]) => `${fullName}`);
}

async function filesBelow(folder: string): Promise<readonly string[]> {
  const entries = await readdir(folder, { recursive: true, withFileTypes: true });
  const paths = entries.filter((entry) => entry.isFile()).map((entry) => join(entry.parentPath, entry.name));
  return paths.map((path) => path.slice(folder.length + 1));
}
