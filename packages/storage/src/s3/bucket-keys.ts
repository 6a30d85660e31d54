import { HeadBucketCommand } from '@aws-sdk/client-s3';
import type { StageOptions } from '@postshelf/domain';
import type { Found, KeyStore, ListedKey, StagedBytes } from '../key-store.ts';
import { storageUnavailable } from '../unavailable.ts';
import type { S3Connection } from './client/connection.ts';
import { copyChecked } from './client/copy.ts';
import { DeletePermission } from './client/deletion-right.ts';
import { isMissing, isTransient, translateError } from './client/failures.ts';
import { headObject } from './client/head-object.ts';
import { BEFORE_OBJECTS, STAGING } from './client/keys.ts';
import { LISTING_RIGHT, listFolders, listKeys, probeListing } from './client/list.ts';
import { streamRange } from './client/read.ts';
import { removeKey } from './client/remove.ts';
import { piecesOf, putBytes } from './client/send-bytes.ts';
import { unusable } from './client/unusable-bucket.ts';
import { BytesInBucket } from './objects/bytes-in-bucket.ts';
import { discardAbandoned } from './objects/discard-abandoned.ts';
import { publish } from './objects/publish.ts';
import { receive } from './objects/receive.ts';

/**
 * Stores keys in a bucket, with staged bytes under `.staging/`. A bucket doesn't show whether another process is still
 * publishing an object. It can't move objects either: an object is copied, and the original is removed once the copy's
 * size has been checked.
 */
export class BucketKeys implements KeyStore {
  readonly isReadByOthers = true;
  readonly #deletion: DeletePermission;

  constructor(private readonly s3: S3Connection) {
    this.#deletion = new DeletePermission(s3);
  }

  async stage(body: AsyncIterable<Uint8Array>, { limit, signal }: StageOptions): Promise<StagedBytes> {
    const { bytes, sha256 } = await receive(this.s3, body, limit, signal);
    return new BytesInBucket(this.s3, bytes, sha256, signal);
  }

  async put(key: string, bytes: Uint8Array, mime: string): Promise<void> {
    await putBytes(this.s3, key, piecesOf(bytes), { mime });
  }

  async find(key: string): Promise<Found | null> {
    const found = await headObject(this.s3, key);
    if (!found) return null;
    const { size, etag: version, mime } = found;
    return {
      key,
      size,
      version,
      ...(mime !== undefined && { mime }),
      body: (range) => streamRange(this.s3, found, range ?? { start: 0, end: size - 1 }),
    };
  }

  /** Does nothing, because {@link find} already throws if the bucket is missing. */
  async requirePresent(): Promise<void> {}

  async *list(prefix: string): AsyncGenerator<ListedKey> {
    const where = prefix === '' ? { after: BEFORE_OBJECTS } : { prefix };
    for await (const listed of listKeys(this.s3, where)) yield { ...listed, isSettled: null };
  }

  folders(prefix: string): Promise<readonly string[]> {
    return listFolders(this.s3, prefix);
  }

  async publish(found: Found, key: string): Promise<'published' | 'taken' | 'gone'> {
    try {
      return (await publish(this.s3, found, key)) ? 'published' : 'taken';
    } catch (error) {
      if (isMissing(error)) return 'gone';
      throw error;
    }
  }

  async move(found: Found, key: string): Promise<boolean> {
    // Without the right to delete, each attempt to move would leave another copy.
    await this.#deletion.require();
    try {
      await copyChecked(this.s3, found, key);
    } catch (error) {
      if (isMissing(error)) return false;
      throw error;
    }
    await this.purge(found.key);
    return true;
  }

  async purge(key: string): Promise<void> {
    try {
      await removeKey(this.s3, key);
    } catch (error) {
      this.#deletion.reset();
      throw error;
    }
  }

  purgeListed(key: string): Promise<void> {
    return this.purge(key);
  }

  discardAbandoned(before: number, onFreed?: (bytes: number) => void): Promise<number> {
    return discardAbandoned(this.s3, before, onFreed);
  }

  /**
   * Checks the bucket and, from time to time, that deletions are allowed. Doesn't check the right to write, because
   * stores charge for writes.
   */
  async check(): Promise<void> {
    try {
      await this.s3.client.send(new HeadBucketCommand({ Bucket: this.s3.bucket }));
    } catch (error) {
      if (isTransient(error)) throw translateError(error);
      await this.#explainRefusal();
    }
    await this.#deletion.require();
  }

  /**
   * Finds the reason for a refused HEAD by listing the bucket, for which stores charge more.
   *
   * @throws Refusal `unavailable`; its cause says what is wrong with the bucket or the access key
   */
  async #explainRefusal(): Promise<void> {
    try {
      await probeListing(this.s3, STAGING);
    } catch (error) {
      throw storageUnavailable(unusable(error, this.s3.place, LISTING_RIGHT));
    }
  }
}
