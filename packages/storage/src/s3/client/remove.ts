import { AbortMultipartUploadCommand, DeleteObjectCommand } from '@aws-sdk/client-s3';
import type { S3Connection } from './connection.ts';
import { translateErrors, unlessMissing } from './failures.ts';

export async function removeKey({ client, bucket }: S3Connection, key: string): Promise<void> {
  await translateErrors(() => unlessMissing(client.send(new DeleteObjectCommand({ Bucket: bucket, Key: key }))));
}

type Bucket = Pick<S3Connection, 'client' | 'bucket' | 'timeouts'>;

/**
 * Removes an object after a failure. Gives up soon and never throws, because the caller is about to throw the original
 * error. Leftovers are discarded as abandoned.
 */
export async function tryRemove({ client, bucket, timeouts }: Bucket, key: string): Promise<void> {
  await within(timeouts.cleanup, (signal) =>
    client.send(new DeleteObjectCommand({ Bucket: bucket, Key: key }), { abortSignal: signal }),
  );
}

/** Like {@link tryRemove}, for the parts of an upload that wasn't completed. */
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
