import { AbortMultipartUploadCommand } from '@aws-sdk/client-s3';
import { TRASHED } from '../../reserved-keys/trash-names.ts';
import type { S3Connection } from '../client/connection.ts';
import { translateErrors, unlessMissing } from '../client/failures.ts';
import { STAGING } from '../client/keys.ts';
import { listKeys, listMultipartUploads } from '../client/list.ts';
import { removeKey } from '../client/remove.ts';

/**
 * Discards staged bytes that were stored before the given time. Also aborts multipart uploads that were started before
 * that time, both in the staging folder and in the trash.
 *
 * @param before milliseconds since the epoch
 * @param onFreed called with the size of each discarded object
 * @returns how many were discarded or aborted
 */
export async function discardAbandoned(
  s3: S3Connection,
  before: number,
  onFreed: (bytes: number) => void = () => undefined,
): Promise<number> {
  let discarded = 0;
  for (const folder of [STAGING, TRASHED]) {
    for await (const { key, id, startedAt } of listMultipartUploads(s3, folder)) {
      if (startedAt < before && (await abort(s3, key, id))) discarded += 1;
    }
  }
  for await (const { key, size, modifiedAt } of listKeys(s3, { prefix: STAGING })) {
    if (modifiedAt >= before) continue;
    await removeKey(s3, key);
    onFreed(size);
    discarded += 1;
  }
  return discarded;
}

function abort({ client, bucket }: S3Connection, key: string, id: string): Promise<boolean> {
  const command = new AbortMultipartUploadCommand({ Bucket: bucket, Key: key, UploadId: id });
  return translateErrors(() => unlessMissing(client.send(command)));
}
