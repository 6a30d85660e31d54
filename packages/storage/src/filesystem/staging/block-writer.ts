import type { FileHandle } from 'node:fs/promises';
import { writeFully } from '../disk/read-write.ts';

/** Written by one call, which costs more than copying the bytes into a block. */
export const BLOCK_BYTES = 256 * 1024;

/** The most blocks kept for reuse: newly allocated ones would leave garbage that is collected late. */
const KEPT_BLOCKS = 16;

const kept: Uint8Array[] = [];

const takeBlock = (): Uint8Array => kept.pop() ?? new Uint8Array(BLOCK_BYTES);

function recycle(block: Uint8Array): void {
  if (kept.length < KEPT_BLOCKS) kept.push(block);
}

/**
 * Bytes after which the written part is synced while the next bytes come in, so that little is left after the last
 * byte.
 */
export const SYNC_BYTES = 16 * 1024 * 1024;

/** Only one file is synced early at a time, as each occupies a thread of the pool that small reads need. */
let isSyncing = false;

/**
 * Writes a file in blocks: while one is written the next is filled. A large file is synced early, see {@link
 * SYNC_BYTES}; the caller has to sync the end. {@link close} must be called in any case.
 */
export class BlockWriter {
  #block: Uint8Array | null = null;
  #filled = 0;
  /** Bytes handed to the file, including the block that is being written. */
  #position = 0;
  #writing: Promise<void> | null = null;
  #written = 0;
  /** Bytes that an early sync has covered. */
  #synced = 0;
  #syncing: Promise<void> | null = null;

  constructor(private readonly file: Pick<FileHandle, 'write' | 'datasync'>) {}

  /** Bytes written to the file. */
  get written(): number {
    return this.#written;
  }

  /** Copies the bytes, so the caller may reuse them. Throws the error of writing an earlier block. */
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

  /** Also throws the error of an early sync, which the system reports only once. */
  async flush(): Promise<void> {
    if (this.#filled > 0) await this.#write();
    await this.#writing;
    await this.#syncing;
  }

  /** Waits for the write and the sync in progress, and writes nothing more. Never throws. */
  async close(): Promise<void> {
    await Promise.allSettled([this.#writing, this.#syncing]);
    if (this.#block) recycle(this.#block);
    this.#block = null;
  }

  /** Begins to write the current block, and waits for the one before it. */
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
        recycle(block);
      }
    })();
    // The next call that awaits it gets the error; until then it must not count as unhandled.
    this.#writing.catch(() => undefined);
    await before;
    if (position - this.#synced >= SYNC_BYTES && !isSyncing) {
      // Awaited, so that a failed sync ends the writing before the next one.
      await this.#syncing;
      this.#syncing = this.#sync(position);
      this.#syncing.catch(() => undefined);
    }
  }

  /** Syncs what was written before the position. */
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
