import { PutObjectCommand } from '@aws-sdk/client-s3';
import { type StorageMark, type StorageMarker, UnreadableMark } from '@postshelf/domain';
import { MARK, MARK_LIMIT, readMark, writeMark } from '../../layout/library-mark.ts';
import type { S3Connection } from '../client/connection.ts';
import { isConditionFailed, translateErrors } from '../client/failures.ts';
import { readSmall } from '../client/read.ts';

/**
 * Reads and writes the library's mark in a bucket: the object `.library`. S3 is strongly consistent, so a read sees
 * every write that was answered before.
 */
export function s3Marker(s3: S3Connection): StorageMarker {
  const place = `${MARK} of ${s3.place}`;
  return {
    async read() {
      const bytes = await readSmall(s3, MARK, MARK_LIMIT);
      if (bytes === null) return null;
      if (bytes === 'too_large' || bytes.length === 0) throw new UnreadableMark(place);
      return readMark(bytes, place);
    },

    async create(mark) {
      try {
        await put(s3, mark, { IfNoneMatch: '*' });
        return true;
      } catch (error) {
        if (isConditionFailed(error)) return false;
        throw error;
      }
    },

    write: (mark) => put(s3, mark),
  };
}

async function put({ client, bucket }: S3Connection, mark: StorageMark, condition = {}): Promise<void> {
  const object = { Bucket: bucket, Key: MARK, Body: writeMark(mark), ContentType: 'application/json', ...condition };
  await translateErrors(() => client.send(new PutObjectCommand(object)));
}
