import { HeadBucketCommand, HeadObjectCommand } from '@aws-sdk/client-s3';
import type { S3Connection } from './connection.ts';
import { isMissing, translateErrors } from './failures.ts';

export interface StoredBytes {
  readonly key: string;
  /** The ETag, including its quotes. */
  readonly etag: string;
  readonly size: number;
  /** Milliseconds since the epoch, in whole seconds, by the store's clock; 0 if the store sends no time. */
  readonly modifiedAt: number;
  readonly metadata: Readonly<Record<string, string>>;
  /** The content type that the store sends to readers. */
  readonly mime?: string;
}

/**
 * Returns the object with the key, or null.
 *
 * @param stop aborts the request
 * @throws Refusal `unavailable`, for example when the bucket no longer exists
 */
export async function headObject(
  { client, bucket }: S3Connection,
  key: string,
  stop?: AbortSignal,
): Promise<StoredBytes | null> {
  return translateErrors(async () => {
    const options = stop && { abortSignal: stop };
    try {
      const answer = await client.send(new HeadObjectCommand({ Bucket: bucket, Key: key }), options);
      const { ETag, ContentLength: size = 0, Metadata: metadata = {}, ContentType: mime, LastModified } = answer;
      const facts = { etag: requireEtag(ETag), size, modifiedAt: LastModified?.getTime() ?? 0, metadata };
      return { key, ...facts, ...(mime !== undefined && { mime }) };
    } catch (error) {
      if (!isMissing(error)) throw error;
    }
    // A HEAD doesn't distinguish a missing object from a missing bucket, so the bucket is requested as well.
    await client.send(new HeadBucketCommand({ Bucket: bucket }), options);
    return null;
  });
}

/** Returns an object that was just written. @throws Refusal `unavailable`; Error when there is none */
export async function requireStored(s3: S3Connection, key: string, stop?: AbortSignal): Promise<StoredBytes> {
  const found = await headObject(s3, key, stop);
  if (!found) throw new Error('The object that was just stored is missing.');
  return found;
}

/**
 * Returns the ETag, which identifies the bytes in conditions. Throws if it is missing, because every store sends one.
 */
export function requireEtag(etag: string | undefined): string {
  if (!etag) throw new Error('The store sent no ETag.');
  return etag;
}
