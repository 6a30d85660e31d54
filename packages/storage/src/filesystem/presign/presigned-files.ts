import { lstat, unlink } from 'node:fs/promises';
import { join } from 'node:path';
import { type ListedUpload, parseUuid } from '@postshelf/domain';
import { entries, isDirectory, removeIfEmpty } from '../disk/directories.ts';
import { GONE, unavailable, withFallback } from '../disk/failures.ts';
import { isItemFolder } from '../objects/find-file.ts';
import { publishFile } from '../objects/publish.ts';
import { syncRemoval } from '../objects/remove.ts';
import { isPieceName } from '../resumable/resumable-storage.ts';
import type { ReceivedFile } from '../staging/receive.ts';
import type { StagingArea, StagingFile } from '../staging/staging-area.ts';

/** Number of attempts. An attempt fails if another complete file for the id arrives in the meantime. */
const ATTEMPTS = 16;

const NAME = /^([1-9]\d{0,14})\.([0-9a-f]{64})$/;

/**
 * A complete file in the directory of an id. While one file replaces another there may be several; the last in order
 * counts.
 */
interface PresignedFile {
  readonly path: string;
  readonly order: number;
  readonly sha256: string;
}

const compare = (a: PresignedFile, b: PresignedFile): number => a.order - b.order || (a.sha256 < b.sha256 ? -1 : 1);

/**
 * Adds a received file durably with the next order number, and removes the earlier files. Two processes may assign the
 * same number. Then the hashes decide, so that every process regards the same file as the last.
 */
export async function addPresignedFile(root: string, directory: string, { path, sha256 }: ReceivedFile): Promise<void> {
  for (let attempt = 1; attempt <= ATTEMPTS; attempt += 1) {
    const earlier = await filesIn(directory);
    const order = (earlier.at(-1)?.order ?? 0) + 1;
    if (!(await publishFile(root, path, join(directory, `${order}.${sha256}`)))) continue;
    // The removal isn't synced, and a crash may interrupt it. That is harmless, because only the last file counts.
    for (const one of earlier) await withFallback(['ENOENT'], unlink(one.path), undefined);
    return;
  }
  throw unavailable(
    new Error(`Every attempt to add a file to ${directory} failed, because another one was added at the same time.`),
  );
}

/**
 * Gives the last file a second name in the staging area. Returns null when there is no file.
 *
 * @throws Refusal `unavailable` when the file is replaced during every attempt
 */
export async function linkLatestFile(
  staging: Pick<StagingArea, 'linkFile'>,
  directory: string,
): Promise<ReceivedFile | null> {
  return withLatest(directory, async ({ path, sha256 }) => {
    const own = await staging.linkFile(path);
    return own && { ...own, sha256, size: await sizeOf(own) };
  });
}

async function sizeOf({ path, handle }: StagingFile): Promise<number> {
  try {
    return (await handle.stat()).size;
  } catch (error) {
    await Promise.allSettled([handle.close(), unlink(path)]);
    throw error;
  }
}

/** Removes all files of an id durably, and then its directory, unless that contains foreign files. */
export async function removePresignedFiles(directory: string): Promise<void> {
  // Files are removed in order, so that after a crash the last one still counts.
  for (const { path } of [...(await filesIn(directory)), ...(await piecesIn(directory))])
    await withFallback(['ENOENT'], unlink(path), undefined);
  await syncRemoval(directory);
}

/**
 * Lists every id that has files, with the size and time of its last file. Removes directories that a crash left empty.
 */
export async function* listPresignedFiles(uploads: string): AsyncGenerator<ListedUpload> {
  if (!(await isDirectory(uploads))) return;
  for await (const entry of entries(uploads, GONE)) {
    const id = parseUuid(entry.name);
    if (!entry.isDirectory() || id === null) continue;
    const folder = join(uploads, id);
    const found = await withLatest(folder, ({ path }) => withFallback(GONE, lstat(path), null));
    const files = [...(found ? [found] : []), ...(await piecesIn(folder))];
    if (files.length === 0) await removeIfEmpty(folder);
    else yield { id, size: sumOf(files), modifiedAt: Math.floor(Math.max(...files.map(({ mtimeMs }) => mtimeMs))) };
  }
}

const sumOf = (files: readonly { readonly size: number }[]): number => files.reduce((sum, { size }) => sum + size, 0);

/** Returns the pieces of a resumable upload. */
async function piecesIn(directory: string) {
  if (!(await isItemFolder(directory))) return [];
  const found: { readonly path: string; readonly size: number; readonly mtimeMs: number }[] = [];
  for await (const entry of entries(directory, GONE)) {
    if (!entry.isFile() || !isPieceName(entry.name)) continue;
    const path = join(directory, entry.name);
    const stats = await withFallback(GONE, lstat(path), null);
    if (stats) found.push({ path, size: stats.size, mtimeMs: stats.mtimeMs });
  }
  return found;
}

/**
 * Calls `use` with the last file, and looks for the last file again when `use` returns null. Returns null when there is
 * none.
 */
async function withLatest<T>(directory: string, use: (latest: PresignedFile) => Promise<T | null>): Promise<T | null> {
  for (let attempt = 1; attempt <= ATTEMPTS; attempt += 1) {
    const latest = (await filesIn(directory)).at(-1);
    if (!latest) return null;
    const answer = await use(latest);
    if (answer !== null) return answer;
  }
  throw unavailable(
    new Error(`Every attempt to use the file in ${directory} failed, because it was replaced at the same time.`),
  );
}

async function filesIn(directory: string): Promise<readonly PresignedFile[]> {
  if (!(await isItemFolder(directory))) return [];
  const kept: PresignedFile[] = [];
  for await (const entry of entries(directory, GONE)) {
    const [name, order, sha256] = NAME.exec(entry.name) ?? [];
    if (!entry.isFile() || name === undefined || sha256 === undefined) continue;
    kept.push({ path: join(directory, name), order: Number(order), sha256 });
  }
  return kept.sort(compare);
}
