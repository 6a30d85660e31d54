import { AbortMultipartUploadCommand, DeleteObjectCommand } from '@aws-sdk/client-s3';
import type { S3Connection } from './connection.ts';
import { isMissing, translateErrors } from './failures.ts';

/** Removes what stands under the key. What isn't there is removed already. @throws Refusal `unavailable` */
export async function removeKey({ client, bucket }: S3Connection, key: string): Promise<void> {
  await translateErrors(async () => {
    try {
      await client.send(new DeleteObjectCommand({ Bucket: bucket, Key: key }));
    } catch (error) {
      if (!isMissing(error)) throw error;
    }
  });
}

type Bucket = Pick<S3Connection, 'client' | 'bucket' | 'timeouts'>;

/**
 * Taking back what a failure left. Whoever calls these is about to throw the error that matters, often of a store out
 * of reach: they give up soon and never throw. What they couldn't take back is in the staging folder, where the sweep
 * finds it.
 */
export async function tryRemove({ client, bucket, timeouts }: Bucket, key: string): Promise<void> {
  await within(timeouts.cleanup, (signal) =>
    client.send(new DeleteObjectCommand({ Bucket: bucket, Key: key }), { abortSignal: signal }),
  );
}

/** As {@link tryRemove}, of the parts of an upload that wasn't completed. */
export async function tryAbort({ client, bucket, timeouts }: Bucket, key: string, uploadId: string): Promise<void> {
  await within(timeouts.cleanup, (signal) =>
    client.send(new AbortMultipartUploadCommand({ Bucket: bucket, Key: key, UploadId: uploadId }), {
      abortSignal: signal,
    }),
  );
}

async function within(time: number, work: (signal: AbortSignal) => Promise<unknown>): Promise<void> {
  await Promise.allSettled([work(AbortSignal.timeout(time))]);
}
