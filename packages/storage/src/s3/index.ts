export type { S3Options } from './connection.ts';
export { openS3, type S3 } from './open.ts';
export { type BucketRule, type BucketSetup, openBucketSetup, type RuleOutcome } from './setup/bucket-setup.ts';
export { UnusableBucket } from './unusable-bucket.ts';
