import { DeleteObjectCommand } from '@aws-sdk/client-s3';
import type { S3Connection } from './connection.ts';
import { isMissing, reaching } from './failures.ts';

/** Removes what stands under the key. What isn't there is removed already. @throws Refusal `unavailable` */
export async function removeKey({ client, bucket }: S3Connection, key: string): Promise<void> {
  await reaching(async () => {
    try {
      await client.send(new DeleteObjectCommand({ Bucket: bucket, Key: key }));
    } catch (error) {
      if (!isMissing(error)) throw error;
    }
  });
}
