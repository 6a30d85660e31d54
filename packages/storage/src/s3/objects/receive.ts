import { randomUUID } from 'node:crypto';
import { endedEarly } from '@postshelf/domain';
import type { S3Connection } from '../client/connection.ts';
import { requireStored, type StoredBytes } from '../client/head-object.ts';
import { STAGING } from '../client/keys.ts';
import { MultipartUpload } from '../client/multipart-upload.ts';
import { tryRemove } from '../client/remove.ts';
import { putBytes } from '../client/send-bytes.ts';
import { type Part, splitIntoParts } from './parts.ts';
import { PartsUnderWay, SpareParts } from './parts-under-way.ts';

/** Number of bytes per part, which is S3's minimum. With S3's maximum of 10,000 parts, a body can have about 50 GB. */
const PART_SIZE = 5 * 1024 * 1024;

/** Shared by all uploads. Beyond one part each, the uploads together hold at most 10 MB. */
const spareParts = new SpareParts(2, 2);

export interface ReceivedBytes {
  readonly bytes: StoredBytes;
  readonly sha256: string;
}

/**
 * Stores a body under a new key in the staging folder. A body of up to {@link PART_SIZE} is sent in one request. A
 * longer body is sent in parts, while the next parts are received. When this throws, stored bytes are removed, or
 * later discarded as abandoned.
 *
 * @param limit bytes
 * @param stop aborts the call, even while it waits for the store
 * @throws LimitExceeded; any error of the body; Refusal `unavailable`; `endedEarly` once `stop` is aborted
 */
export async function receive(
  s3: S3Connection,
  body: AsyncIterable<Uint8Array>,
  limit: number,
  stop?: AbortSignal,
): Promise<ReceivedBytes> {
  const key = STAGING + randomUUID();
  const hash = new Bun.CryptoHasher('sha256');
  const underWay = new PartsUnderWay(spareParts);
  let size = 0;
  let number = 0;
  let upload: MultipartUpload | undefined;
  let isSent = false;
  try {
    for await (const { part, isLast } of splitIntoParts(hashed(body, hash), PART_SIZE, limit)) {
      size += part.length;
      number += 1;
      if (isLast && !upload) {
        isSent = true;
        await putBytes(s3, key, part, { stop }).finally(() => part.free());
      } else {
        upload ??= await begin(s3, key, part, stop);
        await underWay.add(upload.send(number, part).finally(() => part.free()));
      }
    }
    await underWay.end();
    isSent = true;
    await upload?.complete(size);
    return { bytes: await requireStored(s3, key, stop), sha256: hash.digest('hex') };
  } catch (error) {
    // An attempt that got no answer may have stored the object.
    await Promise.all([upload?.abort(), isSent && tryRemove(s3, key)]);
    throw stop?.aborted ? endedEarly(stop) : error;
  }
}

async function* hashed(body: AsyncIterable<Uint8Array>, hash: Bun.CryptoHasher): AsyncGenerator<Uint8Array> {
  for await (const chunk of body) {
    hash.update(chunk);
    yield chunk;
  }
}

/** Starts a multipart upload. Frees the part if that fails. */
async function begin(s3: S3Connection, key: string, part: Part, stop?: AbortSignal): Promise<MultipartUpload> {
  try {
    return await MultipartUpload.begin(s3, key, {}, stop);
  } catch (error) {
    part.free();
    throw error;
  }
}
