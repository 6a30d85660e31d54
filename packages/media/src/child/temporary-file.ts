import { type FileHandle, mkdtemp, open, readdir, rm, stat } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type ByteSource, MAX_FILE_BYTES } from '@postshelf/domain';

const CHUNK_LENGTH = 1024 * 1024;

const PREFIX = 'postshelf-child-';

/** Milliseconds after which a temporary file is left over from a process that was killed. */
const LEFT_OVER = 24 * 60 * 60 * 1000;

/** An empty file in a folder of its own, for a child to read or write. */
export interface TemporaryFile {
  readonly file: FileHandle;
  readonly path: string;
  /** Removes its name; an open file stays readable. */
  forget(): Promise<void>;
}

export async function createTemporaryFile(): Promise<TemporaryFile> {
  sweeping ??= removeLeftOvers();
  await sweeping;
  const folder = await mkdtemp(join(tmpdir(), PREFIX));
  const forget = () => rm(folder, { recursive: true, force: true });
  try {
    const path = join(folder, 'file');
    return { file: await open(path, 'wx+', 0o600), path, forget };
  } catch (error) {
    await forget();
    throw error;
  }
}

let sweeping: Promise<void> | undefined;

/** Once for each process; folders of other users stay. */
export async function removeLeftOvers(): Promise<void> {
  const names = await readdir(tmpdir()).catch(() => []);
  for (const name of names.filter((each) => each.startsWith(PREFIX))) {
    const folder = join(tmpdir(), name);
    const found = await stat(folder).catch(() => null);
    if (found && Date.now() - found.mtimeMs > LEFT_OVER) {
      await rm(folder, { recursive: true, force: true }).catch(() => undefined);
    }
  }
}

export async function openLocally(source: ByteSource): Promise<FileHandle | null> {
  if (source.path !== undefined) return open(source.path, 'r').catch(() => null);
  if (source.size > MAX_FILE_BYTES) return null;
  const temporary = await createTemporaryFile().catch(() => null);
  if (temporary === null) return null;
  const { file } = temporary;
  await temporary.forget();
  const complete = await copy(source, file).catch(async (error) => {
    await file.close();
    throw error;
  });
  if (complete) return file;
  await file.close();
  return null;
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
