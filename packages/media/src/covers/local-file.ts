import { constants } from 'node:fs';
import { type FileHandle, mkdtemp, open, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type ByteSource, MAX_FILE_BYTES } from '@postshelf/domain';

const CHUNK_LENGTH = 1024 * 1024;

/**
 * Opens the bytes as a file for reading; the caller closes it. Bytes that aren't a local file are copied to a temporary
 * one, unless they are larger than any file. null if they are, or if the file system refuses. Throws what `source.read`
 * throws.
 */
export async function openLocally(source: ByteSource): Promise<FileHandle | null> {
  if (source.path !== undefined) return open(source.path, 'r').catch(() => null);
  if (source.size > MAX_FILE_BYTES) return null;
  const file = await openNameless().catch(() => null);
  if (file === null) return null;
  const complete = await copy(source, file).catch(async (error) => {
    await file.close();
    throw error;
  });
  if (complete) return file;
  await file.close();
  return null;
}

/** Linux's open(2): a file without any name, in the directory that is opened. Node's constants lack it. */
const O_TMPFILE = constants.O_DIRECTORY | 0o20000000;

/** An empty file for a child to write. */
export interface OutputFile {
  readonly file: FileHandle;
  /** The path by which the child opens the file, which it has as its descriptor 3. */
  readonly path: string;
  /** Removes its name, if it has one. */
  forget(): Promise<void>;
}

/**
 * An {@link openNameless} file, opened under the name of a descriptor. On systems other than Linux such a name doesn't
 * open the file again, so the file gets a name in a folder of its own: ffmpeg also reads what it writes, and both need
 * a position of their own.
 */
export async function openOutput(opensAnew = process.platform === 'linux'): Promise<OutputFile> {
  if (opensAnew) {
    return { file: await openNameless(), path: '/proc/self/fd/3', forget: async () => undefined };
  }
  const directory = await mkdtemp(join(tmpdir(), 'postshelf-'));
  const forget = () => rm(directory, { recursive: true, force: true });
  try {
    const path = join(directory, 'made');
    return { file: await open(path, 'wx+', 0o600), path, forget };
  } catch (error) {
    await forget();
    throw error;
  }
}

/** An empty file without a name: it is freed with its last reader, and a crash leaves nothing behind. */
function openNameless(): Promise<FileHandle> {
  // Not every file system supports this (EOPNOTSUPP), and other systems take the flag for another one or ignore it.
  if (process.platform !== 'linux') return openUnnamed();
  return open(tmpdir(), O_TMPFILE | constants.O_RDWR, 0o600).catch(openUnnamed);
}

/** An empty file whose name is removed at once; a crash may leave an empty directory. */
async function openUnnamed(): Promise<FileHandle> {
  const directory = await mkdtemp(join(tmpdir(), 'postshelf-'));
  try {
    return await open(join(directory, 'video'), 'wx+', 0o600);
  } finally {
    await rm(directory, { recursive: true });
  }
}

async function copy(source: ByteSource, file: FileHandle): Promise<boolean> {
  for (let offset = 0; offset < source.size; ) {
    const bytes = await source.read(offset, CHUNK_LENGTH);
    if (bytes.length === 0) return false;
    const written = await file.write(bytes, 0, bytes.length, offset).catch(() => null);
    if (written?.bytesWritten !== bytes.length) return false;
    offset += bytes.length;
  }
  return true;
}
