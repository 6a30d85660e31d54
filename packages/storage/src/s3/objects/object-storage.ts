import { GetObjectCommand, HeadBucketCommand, HeadObjectCommand } from '@aws-sdk/client-s3';
import { getSignedUrl } from '@aws-sdk/s3-request-presigner';
import type { TemporaryLinks } from '@postshelf/domain';
import {
  isObjectKey,
  type ListedObject,
  type ObjectStorage,
  type StagedObject,
  type StageOptions,
  type StoredObject,
} from '@postshelf/domain';
import { requireObjectKey, staged } from '../../objects/staged.ts';
import type { S3Connection } from '../client/connection.ts';
import { copyChecked } from '../client/copy.ts';
import { DeletePermission } from '../client/deletion-right.ts';
import { translateErrors } from '../client/failures.ts';
import { BEFORE_OBJECTS, HIDDEN } from '../client/keys.ts';
import { listKeys } from '../client/list.ts';
import { lookUp, lookUpObject, type StoredBytes } from '../client/look-up.ts';
import { streamRange } from '../client/read.ts';
import { removeKey } from '../client/remove.ts';
import { BytesInBucket } from './bytes-in-bucket.ts';
import { publish } from './publish.ts';
import { receive } from './receive.ts';
import { sweep } from './sweep.ts';

/**
 * Objects in a bucket under their keys, and staged bytes under `.staging/`. Any number of processes may share it. A
 * store doesn't show whether a publisher is still at work, so no object is listed as settled.
 */
export class S3Storage implements ObjectStorage {
  readonly #deletion: DeletePermission;

  constructor(private readonly s3: S3Connection) {
    this.#deletion = new DeletePermission(s3);
  }

  async stage(body: AsyncIterable<Uint8Array>, { limit, signal }: StageOptions): Promise<StagedObject> {
    const { bytes, sha256 } = await receive(this.s3, body, limit, signal);
    return staged(new BytesInBucket(this.s3, bytes, sha256, signal));
  }

  async open(key: string): Promise<StoredObject | null> {
    requireObjectKey(key);
    const found = await lookUpObject(this.s3, key);
    if (!found) return null;
    return {
      size: found.size,
      version: found.etag,
      body: (range) => streamRange(this.s3, found, range ?? { start: 0, end: found.size - 1 }),
    };
  }

  async remove(key: string): Promise<void> {
    requireObjectKey(key);
    try {
      await removeKey(this.s3, key);
      await removeKey(this.s3, HIDDEN + key);
    } catch (error) {
      this.#deletion.forget();
      throw error;
    }
  }

  async *list(): AsyncGenerator<ListedObject> {
    for await (const { key, size, modifiedAt } of listKeys(this.s3, { after: BEFORE_OBJECTS })) {
      if (isObjectKey(key)) yield { key, size, modifiedAt, isSettled: false };
    }
    for await (const { key: hidden, size, modifiedAt } of listKeys(this.s3, { prefix: HIDDEN })) {
      const key = hidden.slice(HIDDEN.length);
      if (isObjectKey(key)) yield { key, size, modifiedAt, isSettled: false, isHidden: true };
    }
  }

  async hide(key: string): Promise<void> {
    requireObjectKey(key);
    const found = await lookUp(this.s3, key);
    if (!found) return;
    const hidden = await lookUp(this.s3, HIDDEN + key);
    if (hidden === null) await copyChecked(this.s3, found, HIDDEN + key);
    else requireSame(found, hidden);
    await removeKey(this.s3, key);
  }

  /** Keeps the hidden copy until {@link remove}, as a running call of {@link hide} may still remove the visible one. */
  async show(key: string): Promise<void> {
    requireObjectKey(key);
    const hidden = await lookUp(this.s3, HIDDEN + key);
    if (!hidden) return;
    const found = await lookUp(this.s3, key);
    if (found) return requireSame(found, hidden);
    if (await publish(this.s3, hidden, key)) return;
    // Another call was faster.
    const shown = await lookUp(this.s3, key);
    if (shown) requireSame(shown, hidden);
  }

  async sweepStaging(before: number, onFreed?: (bytes: number) => void): Promise<number> {
    return sweep(this.s3, before, onFreed);
  }

  /**
   * Checks the bucket and, from time to time, that deletions are allowed. Doesn't check the right to write, as stores
   * charge for writes.
   */
  async check(): Promise<void> {
    await translateErrors(() => this.s3.client.send(new HeadBucketCommand({ Bucket: this.s3.bucket })));
    await this.#deletion.require();
  }
}

function requireSame(one: StoredBytes, other: StoredBytes): void {
  if (one.size !== other.size) throw new Error('Another object has this key.');
}

export class S3Links implements TemporaryLinks {
  constructor(private readonly s3: S3Connection) {}

  async linkTo(
    key: string,
    { method, expiresIn, isPrivate }: Parameters<TemporaryLinks['linkTo']>[1],
  ): Promise<string> {
    requireObjectKey(key);
    // Otherwise the object's own header would let every cache along the way keep it.
    const cached = isPrivate && { ResponseCacheControl: `private, max-age=${expiresIn}, immutable` };
    const object = { Bucket: this.s3.bucket, Key: key, ...cached };
    const command = method === 'HEAD' ? new HeadObjectCommand(object) : new GetObjectCommand(object);
    return getSignedUrl(this.s3.signer, command, { expiresIn });
  }
}
