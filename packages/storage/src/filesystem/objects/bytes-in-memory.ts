import { closeSync, constants, openSync } from 'node:fs';
import { unlink } from 'node:fs/promises';
import type { FreeSpace } from '@postshelf/domain';
import type { PutOptions, StagedBytes } from '../../key-store.ts';
import { confine } from '../disk/confine.ts';
import { syncDescriptor } from '../disk/directory-syncs.ts';
import { translateErrors, withFallback } from '../disk/failures.ts';
import type { StagingArea } from '../staging/staging-area.ts';
import { publishFile, replaceFile } from './publish.ts';

/**
 * Stages bytes in memory. A small file that is refused never reaches the disk, and one that is accepted is written,
 * named and synced in one go.
 *
 * @param bytes freed when they are discarded
 * @throws Refusal `storage_low`
 */
export async function stageBytes(
  root: string,
  staging: StagingArea,
  space: Pick<FreeSpace, 'reserve'>,
  bytes: Uint8Array<ArrayBuffer>,
): Promise<StagedBytes> {
  const release = await space.reserve(bytes.byteLength);
  return new BytesInMemory(root, staging, bytes, release);
}

/** Staged bytes that are written to a file only when they are published. */
class BytesInMemory implements StagedBytes {
  #path: string | null = null;
  readonly size: number;
  readonly sha256: string;

  /** @param release releases the space reserved for the bytes */
  constructor(
    private readonly root: string,
    private readonly staging: StagingArea,
    private readonly bytes: Uint8Array<ArrayBuffer>,
    private readonly release: () => void,
  ) {
    this.size = bytes.byteLength;
    this.sha256 = new Bun.CryptoHasher('sha256').update(bytes).digest('hex');
  }

  async read(offset: number, length: number): Promise<Uint8Array> {
    return this.bytes.subarray(offset, offset + length);
  }

  async put(key: string, { replaces }: PutOptions): Promise<boolean> {
    const target = confine(this.root, key);
    const isPut = await translateErrors(async () => {
      await this.#removeFile();
      const staged = await this.staging.writeFile(this.bytes);
      this.#path = staged;
      // The file is reopened for its sync, which also reports errors of earlier attempts to write its data to the disk.
      // The call is synchronous because the kernel has the inode cached.
      const file = openSync(staged, constants.O_RDWR | constants.O_NOFOLLOW);
      try {
        // An object isn't visible before it has a row in the database, so its bytes may be synced after it has its
        // name.
        if (!replaces) return await publishFile(this.root, staged, target, () => syncDescriptor(file));
        await syncDescriptor(file);
        return await replaceFile(this.root, staged, target);
      } finally {
        closeSync(file);
      }
    });
    this.release();
    return isPut;
  }

  async discard(): Promise<void> {
    this.release();
    // Buffers left to the garbage collector would pile up.
    this.bytes.buffer.transfer(0);
    await translateErrors(() => this.#removeFile());
  }

  /** Removes the file without a sync: a name that reappears after a power cut is discarded as abandoned. */
  async #removeFile(): Promise<void> {
    const path = this.#path;
    this.#path = null;
    if (path !== null) await withFallback(['ENOENT'], unlink(path), undefined);
  }
}
