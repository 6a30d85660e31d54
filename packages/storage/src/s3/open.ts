import { randomUUID } from 'node:crypto';
import { DeleteObjectCommand, ListObjectsV2Command, PutObjectCommand } from '@aws-sdk/client-s3';
import type { DirectUploads, ObjectStorage, TemporaryLinks } from '@postshelf/domain';
import { connect, type S3Connection, type S3Options } from './connection.ts';
import { S3Uploads } from './direct-uploads.ts';
import { answeredStatus, codeOf, isTransient, withoutSecrets } from './failures.ts';
import { STAGING } from './keys.ts';
import { S3Storage } from './object-storage.ts';
import { S3Links } from './temporary-links.ts';

/** A bucket as storage. */
export interface S3 {
  readonly storage: ObjectStorage;
  readonly uploads: DirectUploads;
  readonly links: TemporaryLinks;
  /** Ends the idle connections. */
  close(): void;
}

/** Milliseconds that a store which doesn't answer holds up the start. */
const START_TIME = 10_000;

/**
 * Opens a bucket of AWS S3 or of a store that speaks its protocol, and tries whether it can be listed and written to.
 * A store out of reach doesn't stop the start, as it may come up later: `storage.check()` says so until then.
 *
 * @throws Error with one line that says what is wrong with the bucket, its place or the credentials
 */
export async function openS3(options: S3Options): Promise<S3> {
  const s3 = connect(options);
  try {
    await probe(s3);
  } catch (error) {
    if (!isTransient(error)) {
      s3.client.destroy();
      throw new Error(describe(error, s3.place), { cause: withoutSecrets(error) });
    }
  }
  return {
    storage: new S3Storage(s3),
    uploads: new S3Uploads(s3),
    links: new S3Links(s3),
    close: () => s3.client.destroy(),
  };
}

/** Listing, unlike a HEAD, is answered with the store's reasons. */
async function probe({ client, bucket }: S3Connection): Promise<void> {
  const options = { abortSignal: AbortSignal.timeout(START_TIME) };
  const key = STAGING + randomUUID();
  await client.send(new ListObjectsV2Command({ Bucket: bucket, Prefix: STAGING, MaxKeys: 1 }), options);
  await client.send(new PutObjectCommand({ Bucket: bucket, Key: key, Body: new Uint8Array() }), options);
  await client.send(new DeleteObjectCommand({ Bucket: bucket, Key: key }), options);
}

const REASONS: Readonly<Record<string, string>> = {
  NoSuchBucket: 'there is no such bucket',
  InvalidBucketName: 'that is no name of a bucket',
  InvalidAccessKeyId: 'the access key is unknown',
  SignatureDoesNotMatch: 'the secret key is wrong',
  AccessDenied: 'the access key may not list it, write to it and delete in it',
  PermanentRedirect: 'it is in another region or at another endpoint',
  AuthorizationHeaderMalformed: 'it is in another region',
  RequestTimeTooSkewed: 'the clocks of this machine and the store differ too much',
  CredentialsProviderError: 'no credentials were given or found',
};

function describe(error: unknown, place: string): string {
  const code = codeOf(error) ?? 'an answer that S3 does not give';
  const status = answeredStatus(error);
  const reason = REASONS[code] ?? 'the store refuses to work with us';
  return `Can't use ${place}: ${reason} (${code}${status > 0 ? `, HTTP ${status}` : ''}).`;
}
