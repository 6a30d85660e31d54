import { randomUUID } from 'node:crypto';
import { constants } from 'node:fs';
import { type FileHandle, open, unlink } from 'node:fs/promises';
import { dirname, join, resolve } from 'node:path';
import {
  endOf,
  type FreeSpace,
  PIECE_BYTES,
  type Piece,
  type ResumableStorage,
  type StagedObject,
  type Uuid,
} from '@postshelf/domain';
import { digest } from '../../digest.ts';
import { confineUpload } from '../disk/confine.ts';
import { ensureDirectory, requireDirectoryOrNothing, syncDirectory } from '../disk/directories.ts';
import { translateErrors, withFallback } from '../disk/failures.ts';
import { diskFreeSpace, requireFreeSpace, whileSpaceIsFree } from '../disk/free-space.ts';
import { readFully, writeFully } from '../disk/read-write.ts';
import { StagedFile } from '../objects/staged-file.ts';
import { receive } from '../staging/receive.ts';
import { dropStagingFile, StagingArea } from '../staging/staging-area.ts';

const READ_BYTES = 1024 * 1024;

/**
 * Unfinished uploads in the directory of objects, a file for each writer: `{root}/.uploads/{id}/{random}.piece`, beside
 * presigned uploads.
 *
 * @param minFree bytes of the disk to leave free
 */
export async function openFileResumableStorage(root: string, minFree: number): Promise<ResumableStorage> {
  const absolute = resolve(root);
  return new FileResumableStorage(absolute, await StagingArea.open(absolute), diskFreeSpace(absolute, minFree));
}

export const isPieceName = (name: string): boolean => name.endsWith('.piece');

class FileResumableStorage implements ResumableStorage {
  constructor(
    private readonly root: string,
    private readonly staging: StagingArea,
    private readonly space: FreeSpace,
  ) {}

  requireSpace(size: number): Promise<void> {
    return requireFreeSpace(this.space, size);
  }

  async append(
    id: Uuid,
    start: number,
    body: AsyncIterable<Uint8Array>,
    keep: (piece: Piece) => Promise<void>,
  ): Promise<void> {
    const directory = confineUpload(this.root, id);
    await this.staging.requirePresent();
    const name = `${randomUUID()}.piece`;
    const file = await translateErrors(() => createFile(directory, name));
    const writer = new PieceWriter(file, (size) => keep({ name, start, size }));
    try {
      for await (const chunk of whileSpaceIsFree(this.space, body)) await writer.add(chunk);
    } finally {
      await writer.end().finally(() => file.close());
      if (writer.size === 0) await this.drop(id, [{ name }]);
    }
  }

  async drop(id: Uuid, pieces: readonly Pick<Piece, 'name'>[]): Promise<void> {
    const directory = confineUpload(this.root, id);
    await Promise.allSettled(pieces.map(({ name }) => unlink(join(directory, name))));
  }

  async take(id: Uuid, pieces: readonly Piece[]): Promise<StagedObject | null> {
    const directory = confineUpload(this.root, id);
    await this.staging.requirePresent();
    const [only] = pieces;
    if (only && pieces.length === 1) {
      const whole = await this.#takeWhole(join(directory, only.name), only.size);
      if (whole) return whole;
    }
    const files: FileHandle[] = [];
    try {
      for (const { name, size } of pieces) {
        const file = await translateErrors(() => withFallback(['ENOENT'], openFile(join(directory, name)), null));
        if (!file) return null;
        files.push(file);
        if ((await file.stat()).size < size) return null;
      }
      const size = endOf(pieces);
      const chunks = whileSpaceIsFree(this.space, chunksOf(files, pieces));
      return new StagedFile(this.root, await receive(this.staging, chunks, { limit: size }));
    } finally {
      await Promise.all(files.map((file) => file.close()));
    }
  }

  /** By a second name, without copying. null if the file has other bytes than the piece, or is missing. */
  async #takeWhole(path: string, size: number): Promise<StagedObject | null> {
    const file = await this.staging.linkFile(path);
    if (!file) return null;
    try {
      if ((await file.handle.stat()).size === size) {
        const { sha256 } = await digest(chunksOf([file.handle], [{ size }]));
        return new StagedFile(this.root, { ...file, size, sha256 });
      }
    } catch (error) {
      await Promise.allSettled([dropStagingFile(file)]);
      throw error;
    }
    await dropStagingFile(file);
    return null;
  }
}

/** Durably, as a piece that is kept must have a name. */
async function createFile(directory: string, name: string): Promise<FileHandle> {
  await ensureDirectory(directory);
  await requireDirectoryOrNothing(directory);
  const file = await open(join(directory, name), 'wx', 0o600);
  try {
    await syncDirectory(directory);
    await syncDirectory(dirname(directory));
    return file;
  } catch (error) {
    await file.close();
    throw error;
  }
}

const openFile = (path: string): Promise<FileHandle> => open(path, constants.O_RDONLY | constants.O_NOFOLLOW);

async function* chunksOf(
  files: readonly Pick<FileHandle, 'read'>[],
  pieces: readonly Pick<Piece, 'size'>[],
): AsyncGenerator<Uint8Array> {
  for (const [index, { size }] of pieces.entries()) {
    const file = files[index];
    for (let at = 0; file && at < size; ) {
      const bytes = await translateErrors(() => readFully(file, at, Math.min(READ_BYTES, size - at)));
      if (bytes.length === 0) throw new Error(`A piece of ${size} bytes ended at ${at}.`);
      at += bytes.length;
      yield bytes;
    }
  }
}

/** Writes a growing file, of which each few megabytes are synced and told while the next ones come in. */
class PieceWriter {
  size = 0;
  #told = 0;
  #telling: Promise<void> = Promise.resolve();

  constructor(
    private readonly file: FileHandle,
    private readonly tell: (size: number) => Promise<void>,
  ) {}

  async add(chunk: Uint8Array): Promise<void> {
    await translateErrors(() => writeFully(this.file, chunk, this.size));
    this.size += chunk.length;
    if (this.size - this.#told >= PIECE_BYTES) await this.#tellNext();
  }

  async end(): Promise<void> {
    await this.#tellNext();
    await this.#telling;
  }

  async #tellNext(): Promise<void> {
    await this.#telling;
    const size = this.size;
    if (size === this.#told) return;
    this.#told = size;
    this.#telling = translateErrors(() => this.file.datasync()).then(() => this.tell(size));
    // The next call throws it.
    this.#telling.catch(() => undefined);
  }
}
