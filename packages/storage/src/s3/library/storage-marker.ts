import { PutObjectCommand } from '@aws-sdk/client-s3';
import { type StorageMark, type StorageMarker, UnreadableMark } from '@postshelf/domain';
import { MARK, MARK_LIMIT, readMark, writeMark } from '../../layout/library-mark.ts';
import type { S3Connection } from '../client/connection.ts';
import { isConditionFailed, translateErrors } from '../client/failures.ts';
import { lookUp } from '../client/look-up.ts';
import { collectRange } from '../client/read.ts';

/** Each attempt is lost only to another process that wrote the mark in between. */
const ATTEMPTS = 16;

/** The mark in a bucket: the object `.library`. A store shows a put that it has answered to whoever asks next. */
export function s3Marker(s3: S3Connection): StorageMarker {
  const place = `${MARK} of ${s3.place}`;
  return {
    async read() {
      for (let attempt = 1; ; attempt += 1) {
        const found = await lookUp(s3, MARK);
        if (!found) return null;
        if (found.size === 0 || found.size > MARK_LIMIT) throw new UnreadableMark(place);
        try {
          return readMark(await collectRange(s3, found, { start: 0, end: found.size - 1 }), place);
        } catch (error) {
          // Written anew since it was looked up.
          if (!isConditionFailed(error) || attempt === ATTEMPTS) throw error;
        }
      }
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
