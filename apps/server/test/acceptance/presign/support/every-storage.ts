// Apart from how each is opened: whoever imports this starts a store that speaks S3.
import { realS3 } from '@postshelf/testing/servers/s3';
import { isOnBucket } from '../../support/storage.ts';
import { bucketStorage, onFiles, type Storage } from './storages.ts';

const s3 = await realS3('presigned uploads over HTTP to S3');

/** Every storage on this machine; where there is an S3, both ways to read from it, and these alone where the suite is over S3. */
export const storages: readonly Storage[] = [
  ...(isOnBucket && s3 ? [] : [onFiles]),
  ...(s3 ? [bucketStorage(s3, true), bucketStorage(s3, false)] : []),
];

/** One row for each place that uploads go to, for what has nothing to do with reading. */
export const uploadStorages: readonly Storage[] = storages.filter((each) => each.receives || each.redirects);
