import { type FreeSpace, LimitExceeded, type StagedObject } from '@postshelf/domain';
import { confine } from '../disk/confine.ts';
import { translateErrors } from '../disk/failures.ts';
import { writeFully } from '../disk/read-write.ts';
import { dropStagingFile, type StagingArea, type StagingFile } from '../staging/staging-area.ts';
import { publishFile, replaceFile } from './publish.ts';

/**
 * Stages bytes that are at hand, and writes nothing yet: of a small file that is refused the disk hears nothing, and one that
 * is kept is written, named and synced in one go.
 *
 * @throws LimitExceeded; Refusal `storage_low`
 */
export async function stageBytes(
  root: string,
  staging: StagingArea,
  space: Pick<FreeSpace, 'reserve'>,
  bytes: Uint8Array,
  limit: number,
): Promise<StagedObject> {
  if (bytes.byteLength > limit) throw new LimitExceeded(`The body is longer than ${limit} bytes.`);
  const giveBack = await space.reserve(bytes.byteLength);
  return new StagedBytes(root, staging, bytes, giveBack);
}

/** Bytes at hand on their way to a key. Nothing is open before they are published, one file from then on. */
class StagedBytes implements StagedObject {
  #state: 'staged' | 'published' | 'discarded' = 'staged';
  #file: StagingFile | null = null;
  readonly size: number;
  readonly sha256: string;
  private readonly bytes: Uint8Array;

  /** @param giveBack ends what was set aside of the disk for them */
  constructor(
    private readonly root: string,
    private readonly staging: StagingArea,
    bytes: Uint8Array,
    private readonly giveBack: () => void,
  ) {
    // Of a Buffer, which it may be, `slice` gives no copy: whoever reads gets what a file would have given.
    this.bytes = new Uint8Array(bytes.buffer, bytes.byteOffset, bytes.byteLength);
    this.size = bytes.byteLength;
    this.sha256 = new Bun.CryptoHasher('sha256').update(bytes).digest('hex');
  }

  async read(offset: number, length: number): Promise<Uint8Array> {
    if (!isCount(offset) || !isCount(length)) throw new RangeError('Offset and length are whole numbers from 0.');
    return this.bytes.subarray(offset, offset + length);
  }

  publish(key: string): Promise<void> {
    // A name without a row is nothing to anybody, so the bytes may be synced while it is.
    return this.#put(key, ({ path, handle }, target) => publishFile(this.root, path, target, () => handle.sync()));
  }

  replace(key: string): Promise<void> {
    return this.#put(key, async ({ path, handle }, target) => {
      await handle.sync();
      await replaceFile(this.root, path, target);
    });
  }

  async #put(key: string, put: (file: StagingFile, target: string) => Promise<void>): Promise<void> {
    const target = confine(this.root, key);
    if (this.#state !== 'staged') throw new Error(`These bytes were ${this.#state} already.`);
    this.#state = 'published';
    try {
      await translateErrors(async () => {
        await this.#dropFile();
        this.#file = await this.staging.createFile();
        await writeFully(this.#file.handle, this.bytes, 0);
        await put(this.#file, target);
      });
      this.giveBack();
    } catch (error) {
      this.#state = 'staged';
      throw error;
    }
  }

  async discard(): Promise<void> {
    if (this.#state === 'discarded') return;
    this.#state = 'discarded';
    this.giveBack();
    await translateErrors(() => this.#dropFile());
  }

  async #dropFile(): Promise<void> {
    const file = this.#file;
    this.#file = null;
    if (file !== null) await dropStagingFile(file);
  }
}

const isCount = (value: number): boolean => Number.isSafeInteger(value) && value >= 0;
