import { randomUUID } from 'node:crypto';
import { PutObjectCommand } from '@aws-sdk/client-s3';
import { getSignedUrl } from '@aws-sdk/s3-request-presigner';
import type {
  ListedUpload,
  PresignedUpload,
  PresignStorage,
  StagedObject,
  UploadAddress,
  Uuid,
} from '@postshelf/domain';
import pLimit from 'p-limit';
import { staged } from '../../objects/staged.ts';
import type { S3Connection } from '../client/connection.ts';
import { copyBytes } from '../client/copy.ts';
import { isMissing } from '../client/failures.ts';
import { headObject, requireStored } from '../client/head-object.ts';
import { idOfUpload, STAGING, UPLOADS, uploadKey } from '../client/keys.ts';
import { listKeys } from '../client/list.ts';
import { removeKey, tryRemove } from '../client/remove.ts';
import { BytesInBucket } from '../objects/bytes-in-bucket.ts';

/** Maximum number of an upload's pieces to remove concurrently; a caller waits for all of them. */
const REMOVAL_CONCURRENCY = 16;

/** Headers that are signed; without them a client could send any length and type. */
const SIGNED_HEADERS = new Set(['host', 'content-type', 'content-length']);

/**
 * Handles presigned uploads, which clients send to the store under `.uploads/{id}`. An address can be used until it
 * expires, even after the confirmation, so it must never point to an object's key.
 *
 * When an upload is confirmed, its file is copied to a staging key, to which no address can write. With a condition on
 * the ETag, that copy wouldn't be needed. But Ceph 16 ignores `x-amz-copy-source-if-match`, so a file that is replaced
 * after its inspection would become an object without being inspected.
 */
export class S3PresignStorage implements PresignStorage {
  constructor(private readonly s3: S3Connection) {}

  async address({ id, size, type, expiresAt }: PresignedUpload): Promise<UploadAddress> {
    const { signer, bucket } = this.s3;
    const put = { Bucket: bucket, Key: uploadKey(id), ContentLength: size, ContentType: type };
    // The SDK needs a duration that starts at the signing time. If the expiry is in the past, the signing time is set
    // to a second before it.
    const signedAt = Math.min(Math.floor(Date.now() / 1000), expiresAt / 1000 - 1);
    const url = await getSignedUrl(signer, new PutObjectCommand(put), {
      signingDate: new Date(signedAt * 1000),
      expiresIn: expiresAt / 1000 - signedAt,
      signableHeaders: SIGNED_HEADERS,
    });
    return { url, headers: { 'Content-Type': type } };
  }

  async take(id: Uuid): Promise<StagedObject | null> {
    const found = await headObject(this.s3, uploadKey(id));
    if (!found) return null;
    const key = STAGING + randomUUID();
    try {
      await copyBytes(this.s3, found, key, {});
      return staged(new BytesInBucket(this.s3, await requireStored(this.s3, key), null));
    } catch (error) {
      await tryRemove(this.s3, key);
      if (isMissing(error)) return null;
      throw error;
    }
  }

  async purge(id: Uuid): Promise<void> {
    await removeKey(this.s3, uploadKey(id));
    const pieces = await Array.fromAsync(listKeys(this.s3, { prefix: `${uploadKey(id)}/` }));
    await pLimit(REMOVAL_CONCURRENCY).map(pieces, ({ key }) => removeKey(this.s3, key));
  }

  async *list(): AsyncGenerator<ListedUpload> {
    let last = null as ListedUpload | null;
    for await (const { key, size, modifiedAt } of listKeys(this.s3, { prefix: UPLOADS })) {
      const id = idOfUpload(key);
      if (!id) continue;
      // The pieces of a resumable upload are listed one after the other, so their sizes can be added up.
      if (last?.id === id) {
        last = { id, size: last.size + size, modifiedAt: Math.max(last.modifiedAt, modifiedAt) };
        continue;
      }
      if (last) yield last;
      last = { id, size, modifiedAt };
    }
    if (last) yield last;
  }
}
