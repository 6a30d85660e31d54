export { bucketContents, bucketObject, emptyBucket, moveObject, putObject } from './empty-bucket.ts';
export { clientOf, makeBucket, putPolicy, type RealS3, realS3 } from './s3.ts';
export type { S3Access } from './s3-access.ts';
export { openS3Proxy, type ProxiedRequest, type S3Proxy } from './s3-proxy.ts';
