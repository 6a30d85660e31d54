import { randomUUID } from 'node:crypto';
import { constants } from 'node:fs';
import { type FileHandle, open, unlink } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import {
  endOf,
  type FreeSpace,
  PIECE_BYTES,
  type Piece,
  type ResumableStorage,
  SMALL_PIECE,
  type StagedObject,
  type Uuid,
} from '@postshelf/domain';
import { LRUCache } from 'lru-cache';
import { digest } from '../../digest.ts';
import { staged } from '../../objects/staged.ts';
import { after, MissingPiece } from '../../pieces.ts';
import { confineUpload } from '../disk/confine.ts';
import { makeDirectories, syncDirectory } from '../disk/directories.ts';
import { translateErrors, withFallback } from '../disk/failures.ts';
import { requireFreeSpace, whileSpaceIsFree } from '../disk/free-space.ts';
import { readFully } from '../disk/read-write.ts';
import { BytesInFile } from '../objects/bytes-in-file.ts';
import { BlockWriter } from '../staging/block-writer.ts';
import { receive } from '../staging/receive.ts';
import { discardStagingFile, type StagingArea } from '../staging/staging-area.ts';

const { O_NOFOLLOW, O_RDONLY, O_RDWR } = constants;

const READ_BYTES = 1024 * 1024;

/**
 * Maximum number of uploads whose last file this process remembers and can continue. Any other upload continues in a
 * new file, so its files have to be joined by copying when it is complete.
 */
const REMEMBERED = 1000;

/** A file that isn't being written at the moment, and the hash of its bytes so far. */
interface Idle extends Piece {
  readonly hash: Bun.CryptoHasher;
}

export const isPieceName = (name: string): boolean => name.endsWith('.piece');

/**
 * Keeps unfinished uploads in the directory of objects. Each writer has a file, `{root}/.uploads/{id}/{random}.piece`,
 * next to presigned uploads. A writer continues the previous writer's file if that writer belonged to this process and
 * has ended.
 */
export class FileResumableStorage implements ResumableStorage {
  readonly #idle = new LRUCache<Uuid, Idle>({ max: REMEMBERED });

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
    last?: Piece | null,
  ): Promise<void> {
    const directory = confineUpload(this.root, id);
    await this.staging.requirePresent();
    const growing = last && (await this.#continue(id, directory, last, keep));
    const small = last && !growing && last.size <= SMALL_PIECE ? await readPiece(directory, last) : null;
    const writer =
      growing ??
      (await translateErrors(async () => {
        const name = `${randomUUID()}.piece`;
        const empty = { name, start: start - (small?.length ?? 0), size: 0, hash: new Bun.CryptoHasher('sha256') };
        return new PieceWriter(await createFile(directory, name), empty, keep);
      }));
    try {
      for await (const chunk of whileSpaceIsFree(this.space, after(small, body))) await writer.add(chunk);
    } finally {
      const idle = await writer.end();
      if (idle.size === 0) await this.discard(id, [idle]);
      else this.#idle.set(id, idle);
    }
  }

  /**
   * Returns a writer that continues the file of the last piece; null unless this process wrote the file and isn't
   * writing it now. An abandoned writer may still write to the file of another process.
   */
  async #continue(
    id: Uuid,
    directory: string,
    last: Piece,
    keep: (piece: Piece) => Promise<void>,
  ): Promise<PieceWriter | null> {
    const idle = this.#idle.get(id);
    this.#idle.delete(id);
    if (!idle || !isSame(idle, last)) return null;
    const file = await openPiece(directory, idle, O_RDWR);
    return file && new PieceWriter(file, idle, keep);
  }

  async discard(id: Uuid, pieces: readonly Pick<Piece, 'name'>[]): Promise<void> {
    const directory = confineUpload(this.root, id);
    await Promise.allSettled(pieces.map(({ name }) => unlink(join(directory, name))));
  }

  async take(id: Uuid, pieces: readonly Piece[]): Promise<StagedObject | null> {
    const directory = confineUpload(this.root, id);
    await this.staging.requirePresent();
    const [only] = pieces;
    if (only && pieces.length === 1) {
      const whole = await this.#takeWhole(id, join(directory, only.name), only);
      if (whole) return whole;
    }
    try {
      const chunks = whileSpaceIsFree(this.space, chunksOf(directory, pieces));
      return staged(new BytesInFile(this.root, await receive(this.staging, chunks, { limit: endOf(pieces) })));
    } catch (error) {
      if (error instanceof MissingPiece) return null;
      throw error;
    }
  }

  /**
   * Takes over the piece's file under a second name, without copying it. Returns null if the file is missing or doesn't
   * have the size of the piece.
   */
  async #takeWhole(id: Uuid, path: string, only: Piece): Promise<StagedObject | null> {
    const { size } = only;
    const idle = this.#idle.get(id);
    const file = await this.staging.linkFile(path);
    if (!file) return null;
    try {
      if ((await file.handle.stat()).size === size) {
        const sha256 =
          idle && isSame(idle, only) ? idle.hash.copy().digest('hex') : (await digest(read(file.handle, size))).sha256;
        return staged(new BytesInFile(this.root, { ...file, size, sha256 }));
      }
    } catch (error) {
      await Promise.allSettled([discardStagingFile(file)]);
      throw error;
    }
    await discardStagingFile(file);
    return null;
  }
}

/** Creates a file and makes its name durable, because a kept piece must not lose its name. */
async function createFile(directory: string, name: string): Promise<FileHandle> {
  // Both directories are created, because an operator may have removed the directory of all uploads.
  await makeDirectories([dirname(directory), directory]);
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

/** Returns null if the file is missing. */
const openPiece = (directory: string, { name }: Pick<Piece, 'name'>, access: number): Promise<FileHandle | null> =>
  translateErrors(() => withFallback(['ENOENT'], open(join(directory, name), access | O_NOFOLLOW), null));

const isSame = (one: Piece, other: Piece): boolean =>
  one.name === other.name && one.start === other.start && one.size === other.size;

/** Reads the pieces in turn, with one open file at a time. @throws MissingPiece */
async function* chunksOf(directory: string, pieces: readonly Piece[]): AsyncGenerator<Uint8Array> {
  for (const { name, size } of pieces) {
    const file = await openPiece(directory, { name }, O_RDONLY);
    if (!file) throw new MissingPiece();
    try {
      yield* read(file, size);
    } finally {
      await file.close();
    }
  }
}

/** @throws MissingPiece if there are fewer bytes */
async function* read(file: Pick<FileHandle, 'read'>, size: number): AsyncGenerator<Uint8Array> {
  for (let at = 0; at < size; ) {
    const bytes = await translateErrors(() => readFully(file, at, Math.min(READ_BYTES, size - at)));
    if (bytes.length === 0) throw new MissingPiece();
    at += bytes.length;
    yield bytes;
  }
}

/** Reads a small piece. Returns null if it is missing; {@link FileResumableStorage.take} then returns null as well. */
async function readPiece(directory: string, piece: Piece): Promise<Uint8Array | null> {
  try {
    return Buffer.concat(await Array.fromAsync(chunksOf(directory, [piece])));
  } catch (error) {
    if (error instanceof MissingPiece) return null;
    throw error;
  }
}

/**
 * Writes a growing file. Every few megabytes, the new part is synced and passed to `keep` while the next bytes come in.
 */
class PieceWriter {
  readonly #blocks: BlockWriter;
  #size: number;
  #keptSize: number;
  #keeping: Promise<void> = Promise.resolve();

  constructor(
    private readonly file: FileHandle,
    private readonly from: Idle,
    private readonly keep: (piece: Piece) => Promise<void>,
  ) {
    this.#blocks = new BlockWriter(file, from.size, false);
    this.#size = from.size;
    this.#keptSize = from.size;
  }

  async add(chunk: Uint8Array): Promise<void> {
    const adding = translateErrors(() => this.#blocks.add(chunk));
    // The chunk is hashed while it is written.
    this.from.hash.update(chunk);
    await adding;
    this.#size += chunk.length;
    if (this.#size - this.#keptSize >= PIECE_BYTES) await this.#keepNext();
  }

  /** Passes what was written since the last time to `keep`, and closes the file. */
  async end(): Promise<Idle> {
    try {
      await this.#keepNext();
      await this.#keeping;
    } finally {
      await this.#blocks.close();
      await this.file.close();
    }
    return { ...this.from, size: this.#size };
  }

  async #keepNext(): Promise<void> {
    await this.#keeping;
    const [size, { name, start }] = [this.#size, this.from];
    if (size === this.#keptSize) return;
    await translateErrors(() => this.#blocks.flush());
    this.#keptSize = size;
    this.#keeping = translateErrors(() => this.file.datasync()).then(() => this.keep({ name, start, size }));
    // The next call throws this error.
    this.#keeping.catch(() => undefined);
  }
}
