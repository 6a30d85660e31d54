export type { S3Options } from './client/connection.ts';
export { UnusableBucket } from './client/unusable-bucket.ts';
export { openS3, type S3 } from './open.ts';
export { type BucketRule, type BucketSetup, openBucketSetup, type RuleOutcome } from './setup/bucket-setup.ts';
export { openBucketSource } from './source/bucket-source.ts';
