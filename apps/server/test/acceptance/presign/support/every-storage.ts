// This code isn't in storages.ts, because importing this file starts an S3 server.
import { realS3 } from '@postshelf/testing/servers/s3';
import { isOnBucket } from '../../support/storage.ts';
import { bucketStorage, onFiles, type Storage } from './storages.ts';

const s3 = await realS3('presigned uploads over HTTP to S3');

/**
 * The storages that can be tested: files, unless the suite uses S3; and S3 with and without redirects, if a store is
 * available.
 */
export const storages: readonly Storage[] = [
  ...(isOnBucket && s3 ? [] : [onFiles]),
  ...(s3 ? [bucketStorage(s3, true), bucketStorage(s3, false)] : []),
];

/** One storage for each destination of uploads, for tests that don't depend on how files are read. */
export const uploadStorages: readonly Storage[] = storages.filter((each) => each.receives || each.redirects);
