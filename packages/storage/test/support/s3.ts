import { clientOf, emptyBucket, makeBucket, type S3Access } from '@postshelf/testing/servers/s3';
import { openS3, type S3 } from '../../src/s3/index.ts';

/** Creates and opens a bucket. Closing it removes the bucket with its contents. */
export async function openBucket(
  access: S3Access,
): Promise<Omit<S3, 'close'> & { bucket: string; close(): Promise<void> }> {
  const { bucket, remove } = await makeBucket(access);
  const s3 = await openS3({ ...access, bucket });
  const close = async (): Promise<void> => {
    s3.close();
    await remove();
  };
  return { ...s3, bucket, close };
}

/** Opens one bucket for many tests: `empty` removes its contents between tests, and `close` also removes the bucket. */
export async function shareBucket(access: S3Access, processes: number) {
  const { bucket, remove } = await makeBucket(access);
  const opened = await Promise.all(Array.from({ length: processes }, () => openS3({ ...access, bucket })));
  const client = clientOf(access);
  return {
    bucket,
    client,
    opened,
    empty: () => emptyBucket(client, bucket),
    close: async (): Promise<void> => {
      for (const each of opened) each.close();
      client.destroy();
      await remove();
    },
  };
}
