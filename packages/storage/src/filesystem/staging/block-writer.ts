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
 * Writes a file from its beginning, in blocks. While one is written the next is filled, so that whoever gives the bytes
 * can go on; there are never more than these two. {@link close} it, whatever happens.
 */
export class BlockWriter {
  #block: Uint8Array | null = null;
  #filled = 0;
  /** Bytes handed to the file, and those under way among them. */
  #position = 0;
  #writing: Promise<void> | null = null;

  constructor(private readonly file: Pick<FileHandle, 'write'>) {}

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

  /** Resolves when all that was added is written. */
  async flush(): Promise<void> {
    if (this.#filled > 0) await this.#write();
    await this.#writing;
  }

  /** Resolves when the write under way has ended; writes nothing more. Never throws. */
  async close(): Promise<void> {
    await Promise.allSettled([this.#writing]);
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
      } finally {
        giveBack(block);
      }
    })();
    // The next one to wait for it gets the failure; until then it must not count as unhandled.
    this.#writing.catch(() => undefined);
    await before;
  }
}
