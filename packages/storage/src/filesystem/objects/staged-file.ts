import type { StagedObject } from '@postshelf/domain';
import { confine } from '../disk/confine.ts';
import { translateErrors } from '../disk/failures.ts';
import { readFully } from '../disk/read-write.ts';
import type { ReceivedFile } from '../staging/receive.ts';
import { dropStagingFile } from '../staging/staging-area.ts';
import { publishFile, replaceFile } from './publish.ts';

export class StagedFile implements StagedObject {
  #state: 'staged' | 'published' | 'discarded' = 'staged';
  readonly path: string;
  readonly size: number;
  readonly sha256: string;

  constructor(
    private readonly root: string,
    private readonly file: ReceivedFile,
  ) {
    this.path = file.path;
    this.size = file.size;
    this.sha256 = file.sha256;
  }

  async read(offset: number, length: number): Promise<Uint8Array> {
    // The runtime reads a negative position as "where the last read ended".
    if (!isCount(offset) || !isCount(length))
      throw new RangeError('Offset and length must be whole numbers of at least 0.');
    const there = Math.min(length, Math.max(0, this.size - offset));
    return translateErrors(() => readFully(this.file.handle, offset, there));
  }

  publish(key: string): Promise<void> {
    return this.#put(key, publishFile);
  }

  replace(key: string): Promise<void> {
    return this.#put(key, replaceFile);
  }

  async #put(key: string, put: typeof publishFile): Promise<void> {
    const target = confine(this.root, key);
    if (this.#state !== 'staged') throw new Error(`These bytes were ${this.#state} already.`);
    this.#state = 'published';
    try {
      await translateErrors(async () => {
        // An object's age counts from its publication, so that a slow upload doesn't look like an old orphan.
        const now = new Date();
        await this.file.handle.utimes(now, now);
        await put(this.root, this.path, target);
      });
    } catch (error) {
      this.#state = 'staged';
      throw error;
    }
  }

  async discard(): Promise<void> {
    if (this.#state === 'discarded') return;
    this.#state = 'discarded';
    await translateErrors(() => dropStagingFile(this.file));
  }
}

const isCount = (value: number): boolean => Number.isSafeInteger(value) && value >= 0;
