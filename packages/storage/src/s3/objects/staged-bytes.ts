import { endedEarly, type StagedObject } from '@postshelf/domain';
import type { S3Connection } from '../client/connection.ts';
import { isConditionFailed, isMissing } from '../client/failures.ts';
import { requireObjectKey } from '../client/keys.ts';
import type { StoredBytes } from '../client/look-up.ts';
import { collectRange } from '../client/read.ts';
import { removeKey, tryRemove } from '../client/remove.ts';
import { publish, replace } from './publish.ts';

export class StagedBytes implements StagedObject {
  #state: 'staged' | 'published' | 'discarded' = 'staged';

  /** @param unwanted the `signal` of `StageOptions` */
  constructor(
    private readonly s3: S3Connection,
    private readonly bytes: StoredBytes,
    readonly sha256: string | null,
    private readonly unwanted?: AbortSignal,
  ) {}

  get size(): number {
    return this.bytes.size;
  }

  async read(offset: number, length: number): Promise<Uint8Array> {
    if (!isCount(offset) || !isCount(length))
      throw new RangeError('Offset and length must be whole numbers of at least 0.');
    const end = Math.min(offset + length, this.size) - 1;
    if (end < offset) return new Uint8Array();
    try {
      return await unlessGone(collectRange(this.s3, this.bytes, { start: offset, end }, this.unwanted));
    } catch (error) {
      throw this.unwanted?.aborted ? endedEarly(this.unwanted) : error;
    }
  }

  publish(key: string, mime?: string): Promise<void> {
    return this.#put(key, mime, publish);
  }

  replace(key: string, mime?: string): Promise<void> {
    return this.#put(key, mime, replace);
  }

  async #put(key: string, mime: string | undefined, put: typeof publish): Promise<void> {
    requireObjectKey(key);
    if (this.#state !== 'staged') throw new Error(`These bytes were ${this.#state} already.`);
    this.#state = 'published';
    try {
      await unlessGone(put(this.s3, this.bytes, key, mime));
    } catch (error) {
      this.#state = 'staged';
      throw error;
    }
    // If this fails, the sweep removes the object later.
    await Promise.allSettled([removeKey(this.s3, this.bytes.key)]);
  }

  async discard(): Promise<void> {
    if (this.#state !== 'staged') return;
    this.#state = 'discarded';
    // A caller that no longer waits shouldn't be held up by an unreachable store.
    const remove = this.unwanted?.aborted ? tryRemove : removeKey;
    await remove(this.s3, this.bytes.key);
  }
}

const isCount = (value: number): boolean => Number.isSafeInteger(value) && value >= 0;

async function unlessGone<T>(work: Promise<T>): Promise<T> {
  try {
    return await work;
  } catch (error) {
    if (!isConditionFailed(error) && !isMissing(error)) throw error;
    throw new Error('The staged bytes no longer exist: they were removed before they were published.', {
      cause: error,
    });
  }
}
