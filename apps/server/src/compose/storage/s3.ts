import { join } from 'node:path';
import type { Redirects } from '@postshelf/api';
import { redirectLife } from '@postshelf/domain';
import { openLocalCopies } from '@postshelf/storage';
import type { BucketSetup, S3Options, UnusableBucket } from '@postshelf/storage/s3';
import { type Config, ConfigError, type S3Config } from '../../config/config.ts';
import { linkPlace } from './link-place.ts';
import type { MediaStore, UnopenedStorage } from './media-store.ts';

export async function locateBucket(config: Config, s3: S3Config): Promise<UnopenedStorage> {
  const bucket = await openBucket(config, s3);
  const { storage, marker, place, outOfReach, hasOthers, close } = bucket;
  return {
    storage,
    marker,
    place,
    isOutOfReach: outOfReach !== null,
    hasOthers,
    isThere: async () => true,
    open: async () => bucket,
    close,
  };
}

/** Opens the bucket. @throws ConfigError if its settings are invalid */
export async function openBucket(config: Config, s3: S3Config) {
  // The SDK is loaded only when needed, because a service that stores files in a folder doesn't use it.
  const { openS3, UnusableBucket } = await import('@postshelf/storage/s3');
  const opened = await openS3(optionsOf(s3)).catch((error: unknown) => {
    throw error instanceof UnusableBucket ? asConfigError(error) : error;
  });
  const { storage, previews, resumable, marker, trash, presign, links, place, clientOrigin, outOfReach } = opened;
  const mediaBase = s3.publicUrl ?? `${config.publicUrl}/files`;
  const addressOf: Redirects['addressOf'] = (fullName, method, left, disposition) =>
    links.linkTo(fullName, {
      method,
      disposition,
      expiresIn: redirectLife(left),
      ...(left !== null && { isPrivate: true }),
    });
  const copies = { maxBytes: s3.maxCopies, minFree: config.minFreeDisk };
  const localCopies = s3.maxCopies === 0 ? null : openLocalCopies(join(config.dataDir, 'copies'), copies);
  const bucket = {
    storage,
    previews,
    resumable,
    marker,
    trash,
    place,
    mediaBase,
    links: linkPlace(mediaBase, s3.publicUrl === null && s3.redirected === 'all'),
    redirects: s3.redirected === 'none' ? null : { readers: s3.redirected, addressOf },
    localCopies,
    origins: s3.publicUrl === null ? [clientOrigin] : [clientOrigin, new URL(s3.publicUrl).origin],
    outOfReach,
    freeSpace: null,
    close: () => {
      opened.close();
      localCopies?.close();
    },
  };
  return {
    ...bucket,
    hasOthers: async () => (await isAnyIn(presign.list())) || (await isAnyIn(trash.list())),
    withSecret: async (): Promise<MediaStore> => ({ ...bucket, presign, presignReceiver: null }),
  };
}

async function isAnyIn(all: AsyncIterable<unknown>): Promise<boolean> {
  for await (const _ of all) return true;
  return false;
}

/**
 * Composes the setup of the configured bucket; returns null if media are stored in a folder. The setup accesses only
 * the bucket's configuration, not the database or any objects, so it can run with a different S3 access key than the
 * service.
 */
export async function composeBucketSetup({ s3 }: Config): Promise<BucketSetup | null> {
  if (!s3) return null;
  const { openBucketSetup, UnusableBucket } = await import('@postshelf/storage/s3');
  const setup = openBucketSetup(optionsOf(s3));
  const apply: BucketSetup['apply'] = async (wishes) => {
    try {
      return await setup.apply(wishes);
    } catch (error) {
      throw error instanceof UnusableBucket ? asConfigError(error) : error;
    }
  };
  return { ...setup, apply };
}

/** Returns the origins whose pages may call the service, including its own origin if it serves the web app. */
export function pageOrigins({ corsOrigins, web, ownOrigin }: Config): readonly string[] {
  if (!web || ownOrigin === null || corsOrigins.includes('*')) return corsOrigins;
  return [...new Set([ownOrigin, ...corsOrigins])];
}

function optionsOf({ endpoint, clientEndpoint, region, bucket, credentials, forcePathStyle }: S3Config): S3Options {
  return {
    region,
    bucket,
    forcePathStyle,
    ...(endpoint !== null && { endpoint }),
    ...(clientEndpoint !== null && { clientEndpoint }),
    ...(credentials !== null && { credentials }),
  };
}

const SETTINGS = {
  bucket: 'S3_BUCKET',
  endpoint: 'S3_ENDPOINT',
  region: 'S3_REGION',
  accessKeyId: 'S3_ACCESS_KEY_ID',
  secretAccessKey: 'S3_SECRET_ACCESS_KEY',
} as const satisfies Record<UnusableBucket['option'], string>;

const asConfigError = ({ option, message }: UnusableBucket): ConfigError =>
  new ConfigError(`${SETTINGS[option]}: ${message}`);
