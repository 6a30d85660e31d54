import { constants } from 'node:fs';
import { type FileHandle, mkdtemp, open, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type ByteSource, MAX_FILE_BYTES } from '@postshelf/domain';

const CHUNK_LENGTH = 1024 * 1024;

/**
 * Opens the bytes as a file to read; the caller closes it. Where they aren't a local file yet they are copied to a
 * temporary one, unless they are more than any file has. null when that is so or the file system refuses. Throws what
 * `source.read` throws.
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

/** Linux's open(2): a file that has no name at all, in the directory that is opened. Node's constants lack it. */
const O_TMPFILE = constants.O_DIRECTORY | 0o20000000;

/** An empty file that a child writes. */
export interface OutputFile {
  readonly file: FileHandle;
  /** The path by which the child opens the file, which it has as its third descriptor. */
  readonly path: string;
  /** Removes its name, if it has one. */
  forget(): Promise<void>;
}

/**
 * An {@link openNameless} file under the name of a descriptor. Where such a name doesn't open the file anew, which only
 * Linux does, it has a name in a folder of its own: ffmpeg reads what it writes, each at its own place.
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

/** An empty file without a name: it ends with its last reader, and a crash leaves nothing behind. */
function openNameless(): Promise<FileHandle> {
  // Not every file system can do this (EOPNOTSUPP), and other systems take the flag for another or for none.
  if (process.platform !== 'linux') return openUnnamed();
  return open(tmpdir(), O_TMPFILE | constants.O_RDWR, 0o600).catch(openUnnamed);
}

/** An empty file whose name is gone at once; a crash may leave an empty directory. */
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
