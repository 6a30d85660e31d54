import { describePresignStorage } from '@postshelf/testing/contracts/presign-storage/presign-storage';
import { realS3 } from '@postshelf/testing/servers/s3';
import { openBucket } from '../../support/s3.ts';

const s3 = await realS3('direct uploads to S3');

if (s3) describePresignStorage(s3.product, () => openBucket(s3));
