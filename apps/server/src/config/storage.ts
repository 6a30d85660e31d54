import { DEFAULT_MAX_ORPHANS_PERCENT, DEFAULT_TRASH_DAYS, DEFAULT_UNDO_DAYS } from '@postshelf/domain';
import * as v from 'valibot';
import {
  ConfigError,
  flag,
  httpUrl,
  type Read,
  region,
  text,
  wholeNumber,
  withoutTrailingSlash,
} from './setting-kinds.ts';

const MIB = 1024 * 1024;
const DAY = 24 * 60 * 60 * 1000;

export interface StorageConfig {
  /** null if media are stored in the data directory. */
  readonly s3: S3Config | null;
  /** Bytes of the data directory's disk that media must leave free. */
  readonly minFreeDisk: number;
  /** Milliseconds for which an object stays in the trash of the storage before it is purged. */
  readonly trashAge: number;
  /** Milliseconds for which deleted items can be restored. */
  readonly undoTime: number;
  /** Maximum percentage of all objects that garbage collection moves to the trash without an operator's consent. */
  readonly maxOrphansPercent: number;
  /** Maximum objects per second that the weekly check of all objects reads; 0 disables this check. */
  readonly checkObjectsPerSecond: number;
}

export interface S3Credentials {
  readonly accessKeyId: string;
  readonly secretAccessKey: string;
}

export interface S3Config {
  /** null for AWS. */
  readonly endpoint: string | null;
  /** The store's URL for clients, which signed URLs contain; null if it is the same as {@link endpoint}. */
  readonly clientEndpoint: string | null;
  readonly region: string;
  readonly bucket: string;
  /** null to let the AWS SDK search for credentials in its usual places. */
  readonly credentials: S3Credentials | null;
  /** The public URL of the bucket, without a trailing slash; null if links point to this service. */
  readonly publicUrl: string | null;
  readonly forcePathStyle: boolean;
  /** The clients that `/files` redirects to the bucket. Other clients get the file from the service. */
  readonly redirected: 'all' | 'browsers' | 'none';
  /** Maximum total bytes of the local copies of the bucket's files. They are for clients that aren't redirected. */
  readonly maxCopies: number;
}

const bucketSettings = {
  S3_BUCKET: v.optional(text('must be the name of a bucket', (name) => /^[a-z0-9][\w.-]{1,62}$/i.test(name))),
  S3_ENDPOINT: v.optional(httpUrl),
  S3_CLIENT_ENDPOINT: v.optional(httpUrl),
  S3_REGION: v.optional(region, 'us-east-1'),
  S3_ACCESS_KEY_ID: v.optional(v.string()),
  S3_SECRET_ACCESS_KEY: v.optional(v.string()),
  S3_PUBLIC_URL: v.optional(httpUrl),
  S3_FORCE_PATH_STYLE: flag('false'),
  S3_REDIRECT: v.optional(v.picklist(['true', 'false', 'browsers'], 'must be true, false or browsers'), 'browsers'),
  S3_COPIES_MB: v.optional(wholeNumber(0, 1_000_000_000), '4096'),
};

const REDIRECTED = { true: 'all', false: 'none', browsers: 'browsers' } as const;

export const storageSettings = {
  ...bucketSettings,
  MIN_FREE_DISK_MB: v.optional(wholeNumber(0, 1_000_000_000), '1024'),
  TRASH_DAYS: v.optional(wholeNumber(0, 3650), `${DEFAULT_TRASH_DAYS}`),
  UNDO_DAYS: v.optional(wholeNumber(0, 3650), `${DEFAULT_UNDO_DAYS}`),
  GC_MAX_ORPHANS_PERCENT: v.optional(wholeNumber(0, 100), `${DEFAULT_MAX_ORPHANS_PERCENT}`),
  CHECK_OBJECTS_PER_SECOND: v.optional(wholeNumber(0, 1000), '10'),
};

/** Reads the storage settings. @throws ConfigError if only one of the access key ID and the secret access key is set */
export const readStorage = (read: Read<typeof storageSettings>): StorageConfig => ({
  s3: read.S3_BUCKET === undefined ? null : readS3(read.S3_BUCKET, read),
  minFreeDisk: read.MIN_FREE_DISK_MB * MIB,
  trashAge: read.TRASH_DAYS * DAY,
  undoTime: read.UNDO_DAYS * DAY,
  maxOrphansPercent: read.GC_MAX_ORPHANS_PERCENT,
  checkObjectsPerSecond: read.CHECK_OBJECTS_PER_SECOND,
});

function readS3(bucket: string, read: Read<typeof bucketSettings>): S3Config {
  return {
    bucket,
    endpoint: read.S3_ENDPOINT ?? null,
    clientEndpoint: read.S3_CLIENT_ENDPOINT ?? null,
    region: read.S3_REGION,
    credentials: readCredentials('S3', read.S3_ACCESS_KEY_ID, read.S3_SECRET_ACCESS_KEY),
    publicUrl: read.S3_PUBLIC_URL === undefined ? null : withoutTrailingSlash(read.S3_PUBLIC_URL),
    forcePathStyle: read.S3_FORCE_PATH_STYLE,
    redirected: REDIRECTED[read.S3_REDIRECT],
    maxCopies: read.S3_COPIES_MB * MIB,
  };
}

/**
 * Returns the credentials; null if neither setting is given.
 *
 * @param prefix how the names of the two settings begin
 * @throws ConfigError if only one of them is given
 */
export function readCredentials(prefix: string, accessKeyId?: string, secretAccessKey?: string): S3Credentials | null {
  const [id, secret] = [`${prefix}_ACCESS_KEY_ID`, `${prefix}_SECRET_ACCESS_KEY`];
  if (accessKeyId !== undefined && secretAccessKey !== undefined) return { accessKeyId, secretAccessKey };
  if (accessKeyId !== undefined) throw new ConfigError(`${secret}: is missing; it is required with ${id}`);
  if (secretAccessKey !== undefined) throw new ConfigError(`${id}: is missing; it is required with ${secret}`);
  return null;
}
