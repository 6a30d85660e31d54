import { randomUUID } from 'node:crypto';
import { DeleteObjectCommand, GetObjectCommand, PutObjectCommand } from '@aws-sdk/client-s3';
import type {
  ObjectStorage,
  PresignStorage,
  PreviewStorage,
  ResumableStorage,
  StorageMarker,
  TemporaryLinks,
  Trash,
} from '@postshelf/domain';
import { KeyedTrash } from '../garbage/trash.ts';
import { KeyedObjects } from '../objects/object-storage.ts';
import { KeyedPreviews } from '../previews/preview-storage.ts';
import { BucketKeys } from './bucket-keys.ts';
import { connect, type S3Connection, type S3Options } from './client/connection.ts';
import { probeDeletion } from './client/deletion-right.ts';
import { isTransient, withoutSecrets } from './client/failures.ts';
import { STAGING } from './client/keys.ts';
import { LISTING_RIGHT, probeListing } from './client/list.ts';
import { UnusableBucket, unusable } from './client/unusable-bucket.ts';
import { s3Marker } from './library/storage-marker.ts';
import { S3Links } from './objects/temporary-links.ts';
import { S3PresignStorage } from './presign/presign-storage.ts';
import { S3ResumableStorage } from './resumable/resumable-storage.ts';

export interface S3 {
  readonly storage: ObjectStorage;
  readonly trash: Trash;
  readonly marker: StorageMarker;
  readonly presign: PresignStorage;
  readonly resumable: ResumableStorage;
  readonly previews: PreviewStorage;
  readonly links: TemporaryLinks;
  /** The store's name for messages, without secrets. */
  readonly place: string;
  readonly clientOrigin: string;
  /** The reason why the store was unreachable at the start, without secrets; null if it was usable. */
  readonly outOfReach: unknown;
  close(): void;
}

/** Milliseconds after which a store that doesn't answer counts as unreachable. */
const STARTUP_TIMEOUT = 10_000;

/**
 * Opens a bucket of AWS S3 or of a compatible store, and checks that it can be listed, read, written to and deleted in. An
 * unreachable store doesn't prevent the start: `storage.check()` fails until the store is up.
 *
 * @throws UnusableBucket, with one line that says what is wrong
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
  const keys = new BucketKeys(s3);
  return {
    storage: new KeyedObjects(keys),
    trash: new KeyedTrash(keys),
    marker: s3Marker(s3),
    presign: new S3PresignStorage(s3),
    resumable: new S3ResumableStorage(s3),
    previews: new KeyedPreviews(keys),
    links: new S3Links(s3),
    place: s3.place,
    clientOrigin: s3.clientOrigin,
    outOfReach,
    close: () => s3.close(),
  };
}

/** Probes, one for each right that the service needs. */
const PROBES: readonly (readonly [right: string, (s3: S3Connection, options: ProbeOptions) => Promise<unknown>])[] = [
  [LISTING_RIGHT, (s3, { abortSignal }) => probeListing(s3, STAGING, { abortSignal })],
  ['delete in it (s3:DeleteObject)', probeDeletion],
  [
    'write to it (s3:PutObject)',
    ({ client, bucket }, { key, ...options }) =>
      client.send(new PutObjectCommand({ Bucket: bucket, Key: key, Body: new Uint8Array() }), options),
  ],
  ['read in it (s3:GetObject)', probeReading],
  ['delete in it (s3:DeleteObject)', deleteProbe],
];

/** Reads the object that was written before. If that fails, deletes it, so that a failed start leaves nothing. */
async function probeReading(s3: S3Connection, options: ProbeOptions): Promise<void> {
  const { key, abortSignal } = options;
  try {
    const { Body } = await s3.client.send(new GetObjectCommand({ Bucket: s3.bucket, Key: key }), { abortSignal });
    await Body?.transformToByteArray();
  } catch (error) {
    await deleteProbe(s3, options).catch(() => undefined);
    throw error;
  }
}

async function deleteProbe({ client, bucket }: S3Connection, { key, abortSignal }: ProbeOptions): Promise<void> {
  await client.send(new DeleteObjectCommand({ Bucket: bucket, Key: key }), { abortSignal });
}

interface ProbeOptions {
  readonly key: string;
  readonly abortSignal: AbortSignal;
}

/** @throws UnusableBucket; the SDK's error if it is transient */
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
