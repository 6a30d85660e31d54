import type { FileHandle } from 'node:fs/promises';
import { writeFully } from '../disk/read-write.ts';

/** Bytes that are written at once: a call of the operating system by way of another thread costs more than copying them. */
export const BLOCK_BYTES = 256 * 1024;

/** Blocks kept for the next writers; allocating one anew for each leaves garbage that is collected late. */
const KEPT_BLOCKS = 16;

const kept: Uint8Array[] = [];

const takeBlock = (): Uint8Array => kept.pop() ?? new Uint8Array(BLOCK_BYTES);

function giveBack(block: Uint8Array): void {
  if (kept.length < KEPT_BLOCKS) kept.push(block);
}

/**
 * Bytes that are written before they are synced while the next ones come in: the disk works meanwhile, and has little left to
 * do when the last byte is there. Less at once would commit the file system's journal more often, for nothing.
 */
export const SYNC_BYTES = 16 * 1024 * 1024;

/**
 * Whether some file of this process is being synced early. A disk takes no more for being asked by many, while each who asks
 * keeps a thread from others who want a few bytes read.
 */
let isSyncing = false;

/**
 * Writes a file from its beginning, in blocks. While one is written the next is filled, so that whoever gives the bytes
 * can go on; there are never more than these two. Of a large file what is written is synced while the rest comes, see
 * {@link SYNC_BYTES}; the end is left to whoever wants it durable. {@link close} it, whatever happens.
 */
export class BlockWriter {
  #block: Uint8Array | null = null;
  #filled = 0;
  /** Bytes handed to the file, and those under way among them. */
  #position = 0;
  #writing: Promise<void> | null = null;
  #written = 0;
  /** Bytes for which the disk was asked already. */
  #synced = 0;
  #syncing: Promise<void> | null = null;

  constructor(private readonly file: Pick<FileHandle, 'write' | 'datasync'>) {}

  /** Bytes that are in the file. */
  get written(): number {
    return this.#written;
  }

  /** Takes the bytes, which may change afterwards. Throws what writing those before them has failed with. */
  async add(bytes: Uint8Array): Promise<void> {
    for (let taken = 0; taken < bytes.byteLength; ) {
      this.#block ??= takeBlock();
      const part = bytes.subarray(taken, taken + BLOCK_BYTES - this.#filled);
      this.#block.set(part, this.#filled);
      this.#filled += part.byteLength;
      taken += part.byteLength;
      if (this.#filled === BLOCK_BYTES) await this.#write();
    }
  }

  /** Resolves when all that was added is written. Throws also what an early sync has failed with: the system tells it once. */
  async flush(): Promise<void> {
    if (this.#filled > 0) await this.#write();
    await this.#writing;
    await this.#syncing;
  }

  /** Resolves when the write under way has ended; writes nothing more. Never throws. */
  async close(): Promise<void> {
    await Promise.allSettled([this.#writing, this.#syncing]);
    if (this.#block) giveBack(this.#block);
    this.#block = null;
  }

  /** Begins to write the block once the one before it is written. */
  async #write(): Promise<void> {
    const [block, length, position] = [this.#block, this.#filled, this.#position];
    if (!block) return;
    this.#block = null;
    this.#filled = 0;
    this.#position += length;
    const before = this.#writing;
    this.#writing = (async () => {
      try {
        await before;
        await writeFully(this.file, block.subarray(0, length), position);
        this.#written = position + length;
      } finally {
        giveBack(block);
      }
    })();
    // The next one to wait for it gets the failure; until then it must not count as unhandled.
    this.#writing.catch(() => undefined);
    await before;
    if (position - this.#synced >= SYNC_BYTES && !isSyncing) {
      // So that a failure ends the writing at the next one, however long the file is.
      await this.#syncing;
      this.#syncing = this.#sync(position);
      this.#syncing.catch(() => undefined);
    }
  }

  /** What was written before the position. */
  async #sync(position: number): Promise<void> {
    isSyncing = true;
    try {
      await this.file.datasync();
      this.#synced = position;
    } finally {
      isSyncing = false;
    }
  }
}
