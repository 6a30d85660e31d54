import { describePresignStorage, realS3 } from '@postshelf/testing';
import { openBucket } from '../../support/s3.ts';

const s3 = await realS3('direct uploads to S3');

if (s3) describePresignStorage(s3.product, () => openBucket(s3));
