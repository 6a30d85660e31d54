import { endedEarly } from '@postshelf/domain';
import type { PutOptions, StagedBytes } from '../../key-store.ts';
import type { S3Connection } from '../client/connection.ts';
import { isConditionFailed, isMissing } from '../client/failures.ts';
import type { StoredBytes } from '../client/head-object.ts';
import { collectRange } from '../client/read.ts';
import { removeKey, tryRemove } from '../client/remove.ts';
import { publish, replace } from './publish.ts';

/** Staged bytes in an object of the staging folder. The object is removed once the bytes are published. */
export class BytesInBucket implements StagedBytes {
  readonly size: number;
  #isRemoved = false;

  /** @param unwanted the `signal` of `StageOptions` */
  constructor(
    private readonly s3: S3Connection,
    private readonly bytes: StoredBytes,
    readonly sha256: string | null,
    private readonly unwanted?: AbortSignal,
  ) {
    this.size = bytes.size;
  }

  async read(offset: number, length: number): Promise<Uint8Array> {
    if (length === 0) return new Uint8Array();
    const range = { start: offset, end: offset + length - 1 };
    try {
      return await unlessGone(collectRange(this.s3, this.bytes, range, this.unwanted));
    } catch (error) {
      throw this.unwanted?.aborted ? endedEarly(this.unwanted) : error;
    }
  }

  async put(key: string, { replaces, mime }: PutOptions): Promise<boolean> {
    const put = replaces ? replace : publish;
    this.#isRemoved = await unlessGone(put(this.s3, this.bytes, key, mime));
    // If this fails, the object is later discarded as abandoned.
    if (this.#isRemoved) await Promise.allSettled([removeKey(this.s3, this.bytes.key)]);
    return this.#isRemoved;
  }

  async discard(): Promise<void> {
    if (this.#isRemoved) return;
    // A caller that no longer waits shouldn't be held up by an unreachable store.
    const remove = this.unwanted?.aborted ? tryRemove : removeKey;
    await remove(this.s3, this.bytes.key);
  }
}

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
