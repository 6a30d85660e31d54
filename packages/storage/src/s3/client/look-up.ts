import { HeadBucketCommand, HeadObjectCommand } from '@aws-sdk/client-s3';
import type { S3Connection } from './connection.ts';
import { isMissing, translateErrors } from './failures.ts';

/** Bytes that stand whole under a key. */
export interface StoredBytes {
  readonly key: string;
  /** The store's mark of these bytes, with its quotes. */
  readonly etag: string;
  readonly size: number;
  /** Names and values that were stored with them. */
  readonly metadata: Readonly<Record<string, string>>;
}

/**
 * What stands under the key; null when nothing does.
 *
 * @param stop ends it early
 * @throws Refusal `unavailable`, also when the bucket is gone
 */
export async function lookUp(
  { client, bucket }: S3Connection,
  key: string,
  stop?: AbortSignal,
): Promise<StoredBytes | null> {
  return translateErrors(async () => {
    const options = stop && { abortSignal: stop };
    try {
      const answer = await client.send(new HeadObjectCommand({ Bucket: bucket, Key: key }), options);
      const { ETag, ContentLength: size = 0, Metadata: metadata = {} } = answer;
      return { key, etag: requireEtag(ETag), size, metadata };
    } catch (error) {
      if (!isMissing(error)) throw error;
    }
    // The answer to a HEAD has no body that could tell a missing object from a missing bucket.
    await client.send(new HeadBucketCommand({ Bucket: bucket }), options);
    return null;
  });
}

/** What must stand under a key that was just written. @param stop as of {@link lookUp} @throws Refusal `unavailable`; Error when nothing does */
export async function requireStored(s3: S3Connection, key: string, stop?: AbortSignal): Promise<StoredBytes> {
  const found = await lookUp(s3, key, stop);
  if (!found) throw new Error('What was just stored is not there.');
  return found;
}

/** What names a version of the bytes in a condition; every store gives one. */
export function requireEtag(etag: string | undefined): string {
  if (!etag) throw new Error('The store named no etag.');
  return etag;
}
