import type { S3Access } from '@postshelf/testing/servers/s3';
import type { Settings } from './processes.ts';

/** What an operator sets to keep media in the bucket. */
export const bucketSettings = (s3: S3Access, bucket: string): Settings => ({
  S3_BUCKET: bucket,
  S3_ENDPOINT: s3.endpoint,
  S3_REGION: s3.region,
  S3_ACCESS_KEY_ID: s3.credentials.accessKeyId,
  S3_SECRET_ACCESS_KEY: s3.credentials.secretAccessKey,
  S3_FORCE_PATH_STYLE: String(s3.forcePathStyle),
});
