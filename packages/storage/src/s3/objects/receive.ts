import { createHash, randomUUID } from 'node:crypto';
import { PutObjectCommand } from '@aws-sdk/client-s3';
import type { S3Connection } from '../client/connection.ts';
import { translateErrors } from '../client/failures.ts';
import { STAGING } from '../client/keys.ts';
import { requireStored, type StoredBytes } from '../client/look-up.ts';
import { MultipartUpload } from '../client/multipart-upload.ts';
import { tryRemove } from '../client/remove.ts';
import { sendBytes } from '../client/send-bytes.ts';
import { splitIntoParts } from './parts.ts';

/** Bytes of a part. S3 takes 5 MiB to 5 GiB, and 10,000 of them: enough for 80 GB. */
const PART_SIZE = 8 * 1024 * 1024;

export interface ReceivedBytes {
  readonly bytes: StoredBytes;
  /** Lower-case hex. */
  readonly sha256: string;
}

/**
 * Stores a body under a new key in the staging folder: in one request up to {@link PART_SIZE}, in parts above. One part
 * is sent while the next comes in, and no more are held. When it throws nothing is left, or, when the store can't be
 * reached to say so, what a sweep removes.
 *
 * @param limit bytes
 * @throws LimitExceeded; whatever the body throws; Refusal `unavailable`
 */
export async function receive(
  s3: S3Connection,
  body: AsyncIterable<Uint8Array>,
  limit: number,
): Promise<ReceivedBytes> {
  const key = STAGING + randomUUID();
  const hash = createHash('sha256');
  let size = 0;
  let number = 0;
  let upload: MultipartUpload | undefined;
  let sending = Promise.resolve();
  try {
    for await (const { bytes, isLast } of splitIntoParts(body, PART_SIZE, limit)) {
      hash.update(bytes);
      size += bytes.byteLength;
      number += 1;
      if (isLast && !upload) await putWhole(s3, key, bytes);
      else {
        upload ??= await MultipartUpload.begin(s3, key);
        // Also makes room: what was sent is overwritten by the part after this one.
        await sending;
        sending = upload.send(number, bytes);
      }
    }
    await sending;
    await upload?.complete(size);
    return { bytes: await requireStored(s3, key), sha256: hash.digest('hex') };
  } catch (error) {
    await upload?.abort();
    throw error;
  }
}

async function putWhole(s3: S3Connection, key: string, bytes: Uint8Array): Promise<void> {
  const request = { Bucket: s3.bucket, Key: key, ContentLength: bytes.byteLength };
  try {
    await translateErrors(() =>
      sendBytes(s3, bytes, (Body, options) => s3.client.send(new PutObjectCommand({ ...request, Body }), options)),
    );
  } catch (error) {
    // An attempt that ended without an answer may have stored it nevertheless.
    await tryRemove(s3, key);
    throw error;
  }
}
