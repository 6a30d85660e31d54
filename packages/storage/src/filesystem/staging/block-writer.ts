import type { FileHandle } from 'node:fs/promises';
import { writeFully } from '../disk/read-write.ts';

/**
 * Size of a block, in bytes. Smaller chunks are copied into blocks, because copying costs less than a write call for
 * each.
 */
export const BLOCK_BYTES = 256 * 1024;

const KEPT_BLOCKS = 16;

const kept: Uint8Array[] = [];

const takeBlock = (): Uint8Array => kept.pop() ?? new Uint8Array(BLOCK_BYTES);

function recycle(block: Uint8Array): void {
  if (kept.length < KEPT_BLOCKS) kept.push(block);
}

/**
 * Number of bytes after which the written part is synced while the next bytes come in, so that little is left to sync
 * after the last byte.
 */
export const SYNC_BYTES = 16 * 1024 * 1024;

/**
 * Whether a file is being synced early. Only one sync runs at a time, because each occupies a thread of the pool that
 * small reads need.
 */
let isSyncing = false;

/**
 * Writes a file in blocks: while one block is written, the next is filled. Chunks of at least a block's size are
 * written as they are. A large file is synced early (see {@link SYNC_BYTES}); the caller has to sync the rest. {@link
 * close} must always be called.
 */
export class BlockWriter {
  #block: Uint8Array | null = null;
  #filled = 0;
  #position: number;
  #writing: Promise<void> | null = null;
  #written = 0;
  #synced: number;
  #syncing: Promise<void> | null = null;

  /**
   * @param from the position of the first byte
   * @param syncs whether a large file is synced early
   */
  constructor(
    private readonly file: Pick<FileHandle, 'write' | 'datasync'>,
    from = 0,
    private readonly syncs = true,
  ) {
    this.#position = from;
    this.#synced = from;
  }

  get written(): number {
    return this.#written;
  }

  /** Resolves when the caller may reuse the bytes. Throws the error of writing these bytes or an earlier block. */
  async add(bytes: Uint8Array): Promise<void> {
    if (bytes.byteLength >= BLOCK_BYTES) {
      await this.#writeBlock();
      await this.#write(bytes);
      await this.#writing;
      return this.#syncEarly();
    }
    for (let taken = 0; taken < bytes.byteLength; ) {
      this.#block ??= takeBlock();
      const part = bytes.subarray(taken, taken + BLOCK_BYTES - this.#filled);
      this.#block.set(part, this.#filled);
      this.#filled += part.byteLength;
      taken += part.byteLength;
      if (this.#filled === BLOCK_BYTES) await this.#writeBlock();
    }
  }

  /** Waits until everything is written. Also throws the error of an early sync, which the system reports only once. */
  async flush(): Promise<void> {
    await this.#writeBlock();
    await this.#writing;
    await this.#syncing;
  }

  /** Waits for running writes and syncs, and writes nothing more. Never throws. */
  async close(): Promise<void> {
    await Promise.allSettled([this.#writing, this.#syncing]);
    if (this.#block) recycle(this.#block);
    this.#block = null;
  }

  async #writeBlock(): Promise<void> {
    const [block, length] = [this.#block, this.#filled];
    if (!block || length === 0) return;
    this.#block = null;
    this.#filled = 0;
    await this.#write(block.subarray(0, length), () => recycle(block));
  }

  /** Starts to write the bytes, and waits for the preceding write. */
  async #write(bytes: Uint8Array, then: () => void = () => undefined): Promise<void> {
    const position = this.#position;
    this.#position += bytes.byteLength;
    const before = this.#writing;
    this.#writing = (async () => {
      try {
        await before;
        await writeFully(this.file, bytes, position);
        this.#written = position + bytes.byteLength;
      } finally {
        then();
      }
    })();
    // The next call that awaits this write gets the error.
    this.#writing.catch(() => undefined);
    await before;
    await this.#syncEarly();
  }

  async #syncEarly(): Promise<void> {
    if (!this.syncs || this.#written - this.#synced < SYNC_BYTES || isSyncing) return;
    // This wait lets a failed sync stop the writing.
    await this.#syncing;
    this.#syncing = this.#sync(this.#written);
    this.#syncing.catch(() => undefined);
  }

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
