import { PutObjectCommand } from '@aws-sdk/client-s3';
import { describeStorageMarker } from '@postshelf/testing/contracts/library/storage-marker';
import { clientOf, makeBucket, realS3 } from '@postshelf/testing/servers/s3';
import { openS3 } from '../../../src/s3/index.ts';

const s3 = await realS3('the mark in a bucket');

if (s3) {
  describeStorageMarker(s3.product, async () => {
    const { bucket, remove } = await makeBucket(s3);
    const [one, two] = await Promise.all([openS3({ ...s3, bucket }), openS3({ ...s3, bucket })]);
    const client = clientOf(s3);
    return {
      one: one.marker,
      two: two.marker,
      async spoil(bytes) {
        await client.send(new PutObjectCommand({ Bucket: bucket, Key: '.library', Body: bytes }));
      },
      async close() {
        for (const each of [one, two]) each.close();
        client.destroy();
        await remove();
      },
    };
  });
}
