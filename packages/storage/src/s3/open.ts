import { randomUUID } from 'node:crypto';
import { DeleteObjectCommand, ListObjectsV2Command, PutObjectCommand } from '@aws-sdk/client-s3';
import type {
  ObjectStorage,
  PresignStorage,
  PreviewStorage,
  StorageMarker,
  TemporaryLinks,
  Trash,
} from '@postshelf/domain';
import { connect, type S3Connection, type S3Options } from './client/connection.ts';
import { probeDeletion } from './client/deletion-right.ts';
import { isTransient, withoutSecrets } from './client/failures.ts';
import { STAGING } from './client/keys.ts';
import { UnusableBucket, unusable } from './client/unusable-bucket.ts';
import { S3Trash } from './garbage/trash.ts';
import { s3Marker } from './library/storage-marker.ts';
import { S3Links, S3Storage } from './objects/object-storage.ts';
import { S3PresignStorage } from './presign/presign-storage.ts';
import { S3Previews } from './previews/preview-storage.ts';

/** A bucket as storage. */
export interface S3 {
  readonly storage: ObjectStorage;
  readonly trash: Trash;
  readonly marker: StorageMarker;
  readonly presign: PresignStorage;
  readonly previews: PreviewStorage;
  readonly links: TemporaryLinks;
  /** The bucket and where it is, for messages. */
  readonly place: string;
  /** Where signed addresses are, as browsers see it. */
  readonly clientOrigin: string;
  /** Why the store couldn't be tried at the start, without a secret; null when it was found well. */
  readonly outOfReach: unknown;
  /** Ends the idle connections. */
  close(): void;
}

/** Milliseconds that a store which doesn't answer holds up the start. */
const STARTUP_TIMEOUT = 10_000;

/**
 * Opens a bucket of AWS S3 or of a store that speaks its protocol, and tries whether it can be listed, written to and deleted in.
 * A store out of reach doesn't stop the start, as it may come up later: `storage.check()` says so until then.
 *
 * @throws UnusableBucket, one line that says what is wrong with the bucket, its place or the credentials
 */
export async function openS3(options: S3Options): Promise<S3> {
  const s3 = connect(options);
  let outOfReach: unknown = null;
  try {
    await probe(s3);
  } catch (error) {
    if (error instanceof UnusableBucket) {
      s3.close();
      throw error;
    }
    outOfReach = withoutSecrets(error);
  }
  return {
    storage: new S3Storage(s3),
    trash: new S3Trash(s3),
    marker: s3Marker(s3),
    presign: new S3PresignStorage(s3),
    previews: new S3Previews(s3),
    links: new S3Links(s3),
    place: s3.place,
    clientOrigin: s3.clientOrigin,
    outOfReach,
    close: () => s3.close(),
  };
}

/** What the service does with a bucket, by the right that each takes. */
const PROBES: readonly (readonly [right: string, (s3: S3Connection, options: ProbeOptions) => Promise<unknown>])[] = [
  // Listing, unlike a HEAD, is answered with the store's reasons.
  [
    'list it (s3:ListBucket)',
    ({ client, bucket }, options) =>
      client.send(new ListObjectsV2Command({ Bucket: bucket, Prefix: STAGING, MaxKeys: 1 }), options),
  ],
  // Before anything is written that couldn't be deleted.
  ['delete in it (s3:DeleteObject)', probeDeletion],
  [
    'write to it (s3:PutObject)',
    ({ client, bucket }, { key, ...options }) =>
      client.send(new PutObjectCommand({ Bucket: bucket, Key: key, Body: new Uint8Array() }), options),
  ],
  [
    'delete in it (s3:DeleteObject)',
    ({ client, bucket }, { key, ...options }) =>
      client.send(new DeleteObjectCommand({ Bucket: bucket, Key: key }), options),
  ],
];

interface ProbeOptions {
  readonly key: string;
  readonly abortSignal: AbortSignal;
}

/** @throws UnusableBucket; what the store or the way to it says where it may be another the next time */
async function probe(s3: S3Connection): Promise<void> {
  const options = { key: STAGING + randomUUID(), abortSignal: AbortSignal.timeout(STARTUP_TIMEOUT) };
  for (const [right, attempt] of PROBES) {
    try {
      await attempt(s3, options);
    } catch (error) {
      throw isTransient(error) ? error : unusable(error, s3.place, right);
    }
  }
}
