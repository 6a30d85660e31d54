import { describeTrash } from '@postshelf/testing/contracts/garbage/trash';
import { makeBucket, realS3 } from '@postshelf/testing/servers/s3';
import { openS3 } from '../../../src/s3/index.ts';

const s3 = await realS3('the trash of S3');

if (s3) {
  describeTrash(s3.product, async () => {
    const { bucket, remove } = await makeBucket(s3);
    const [one, two] = [await openS3({ ...s3, bucket }), await openS3({ ...s3, bucket })];
    const close = async (): Promise<void> => {
      for (const each of [one, two]) each.close();
      await remove();
    };
    return { storage: one.storage, one: one.trash, two: two.trash, close };
  });
}
