import { type FileHandle, mkdtemp, open, readdir, rm, stat } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type ByteSource, MAX_FILE_BYTES, type MadeFile } from '@postshelf/domain';

const CHUNK_LENGTH = 1024 * 1024;

/** Number of bytes that are read at a time, from a file that a child made. */
const READ_LENGTH = 256 * 1024;

const PREFIX = 'postshelf-child-';

const HOUR = 60 * 60 * 1000;

/** Milliseconds after which a file counts as left over from a killed process; no child may run that long. */
const LEFT_OVER = 2 * HOUR;

/** Minimum milliseconds between two removals of such files. */
const REMOVAL_INTERVAL = HOUR;

/** An empty file in a folder of its own, for a child to read or write. */
export interface TemporaryFile {
  readonly file: FileHandle;
  readonly path: string;
  /** Removes the file's name. The open file stays readable. */
  unlink(): Promise<void>;
}

export async function createTemporaryFile(): Promise<TemporaryFile> {
  const now = Date.now();
  if (now - removedAt >= REMOVAL_INTERVAL) {
    removedAt = now;
    removing = removeLeftovers();
  }
  await removing;
  const folder = await mkdtemp(join(tmpdir(), PREFIX));
  const unlink = () => rm(folder, { recursive: true, force: true });
  try {
    const path = join(folder, 'file');
    return { file: await open(path, 'wx+', 0o600), path, unlink };
  } catch (error) {
    await unlink();
    throw error;
  }
}

let removedAt = Number.NEGATIVE_INFINITY;
let removing: Promise<void> | undefined;

/** Removes files left over from killed processes. Leaves folders of other users alone. */
export async function removeLeftovers(): Promise<void> {
  const names = await readdir(tmpdir()).catch(() => []);
  for (const name of names.filter((each) => each.startsWith(PREFIX))) {
    const folder = join(tmpdir(), name);
    const found = await stat(folder).catch(() => null);
    if (found && Date.now() - found.mtimeMs > LEFT_OVER) {
      await rm(folder, { recursive: true, force: true }).catch(() => undefined);
    }
  }
}

/** Why {@link keepLocally} may return null, to complete a sentence for the log. */
export const WHY_NOT_LOCAL = 'it was removed, or TMPDIR has no room for a copy';

/** A source that is available as a local file, which several children can read in turn. */
export interface LocalFile extends AsyncDisposable {
  /** Returns a handle; null if the file is missing, or was already opened the maximum number of times. */
  open(): Promise<FileHandle | null>;
}

/**
 * Makes a source available as a local file. A remote source is copied once, to an unlinked file, so that the copy never
 * outlives this process. Returns null if the source is too large or there is no space. Throws whatever `source.read`
 * throws.
 *
 * @param times the maximum number of times that the file will be opened
 */
export async function keepLocally(source: ByteSource, times: number): Promise<LocalFile | null> {
  const { path } = source;
  if (path !== undefined)
    return { open: () => open(path, 'r').catch(() => null), [Symbol.asyncDispose]: async () => undefined };
  if (source.size > MAX_FILE_BYTES) return null;
  const temporary = await createTemporaryFile().catch(() => null);
  if (temporary === null) return null;
  const files: FileHandle[] = [];
  const close = async () => {
    for (const file of files.splice(0)) await file.close();
  };
  let isKept = false;
  try {
    try {
      while (files.length < times) files.push(await open(temporary.path, 'r'));
    } finally {
      await temporary.unlink();
    }
    isKept = await copy(source, temporary.file);
    return isKept ? { open: async () => files.pop() ?? null, [Symbol.asyncDispose]: close } : null;
  } finally {
    await temporary.file.close();
    if (!isKept) await close();
  }
}

/** Like {@link keepLocally}, for a single child. */
export async function openLocally(source: ByteSource): Promise<FileHandle | null> {
  await using local = await keepLocally(source, 1);
  return (await local?.open()) ?? null;
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

/** Wraps a file that a child has written. Disposing of the result closes the file. */
export function madeFile(file: FileHandle, size: number): MadeFile {
  return {
    size,
    async *body() {
      for (let offset = 0; offset < size; ) {
        const { bytesRead, buffer } = await file.read(Buffer.alloc(READ_LENGTH), 0, READ_LENGTH, offset);
        if (bytesRead === 0) throw new Error(`The file ended at ${offset} of ${size} bytes.`);
        yield buffer.subarray(0, bytesRead);
        offset += bytesRead;
      }
    },
    [Symbol.asyncDispose]: () => file.close(),
  };
}
