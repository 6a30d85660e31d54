import { setTimeout as delay } from 'node:timers/promises';
import { PutObjectCommand } from '@aws-sdk/client-s3';
import { type StorageMark, type StorageMarker, UnreadableMark } from '@postshelf/domain';
import { isSameMark, MARK, MARK_LIMIT, readMark, writeMark } from '../../reserved-keys/library-mark.ts';
import type { S3Connection } from '../client/connection.ts';
import { httpStatusOf, isConditionFailed, isNotImplemented, translateErrors } from '../client/failures.ts';
import { headObject } from '../client/head-object.ts';
import { readSmall } from '../client/read.ts';

const CONFLICT = 409;

/** An ETag that no object has. A store that carries out a write on the condition of this ETag ignores conditions. */
const WRONG_TAG = `"${'0'.repeat(32)}"`;

/** Milliseconds to wait, longer than any caller takes between reading and writing the mark. */
const SETTLING_TIME = 3000;

/**
 * Opens the library's mark in a bucket: the object `.library`.
 *
 * @param settled used with stores that ignore conditions; resolves once callers that read the mark earlier have written
 * it
 */
export function s3Marker(
  s3: S3Connection,
  settled: () => Promise<unknown> = () => delay(SETTLING_TIME),
): StorageMarker {
  let keepsConditions = false;
  const place = `${MARK} of ${s3.place}`;
  const read = async (): Promise<StorageMark | null> => {
    const bytes = await readSmall(s3, MARK, MARK_LIMIT);
    if (bytes === null) return null;
    if (bytes === 'too_large' || bytes.length === 0) throw new UnreadableMark(place);
    return readMark(bytes, place);
  };
  const isThere = async (mark: StorageMark): Promise<boolean> => {
    try {
      return isSameMark(mark, await read());
    } catch (error) {
      if (error instanceof UnreadableMark) return false;
      throw error;
    }
  };
  return {
    read,

    async create(mark) {
      try {
        await put(s3, mark, { IfNoneMatch: '*' });
        return true;
      } catch (error) {
        // The condition also fails if the mark was created by an earlier attempt whose answer was lost.
        if (isConditionFailed(error)) return isThere(mark);
        if (!isNotImplemented(error)) throw error;
        if ((await headObject(s3, MARK)) !== null) return false;
        await put(s3, mark);
        await settled();
        return isThere(mark);
      }
    },

    write: (mark) => put(s3, mark),

    async swap(from, to) {
      // If the mark changes after this lookup, the condition fails.
      const found = await headObject(s3, MARK);
      if (found === null || !isSameMark(from, await read())) return false;
      keepsConditions ||= !(await putIfMatch(s3, to, WRONG_TAG));
      if (!keepsConditions) {
        await settled();
        return isSameMark(to, await read());
      }
      // Ceph (16.2) compares the condition with the ETag without quotes.
      for (const etag of [found.etag, found.etag.replaceAll('"', '')]) {
        await putIfMatch(s3, to, etag);
        const mark = await read();
        // The mark is read back because the answer to an attempt may be lost.
        if (!isSameMark(from, mark)) return isSameMark(to, mark);
      }
      return false;
    },
  };
}

async function put({ client, bucket }: S3Connection, mark: StorageMark, condition = {}): Promise<void> {
  const object = { Bucket: bucket, Key: MARK, Body: writeMark(mark), ContentType: 'application/json', ...condition };
  await translateErrors(() => client.send(new PutObjectCommand(object)));
}

/** Returns false if the store refused the write, which a store without conditional writes never does. */
async function putIfMatch(s3: S3Connection, mark: StorageMark, etag: string): Promise<boolean> {
  try {
    await put(s3, mark, { IfMatch: etag });
  } catch (error) {
    if (isConditionFailed(error) || httpStatusOf(error) === CONFLICT) return false;
    if (!isNotImplemented(error)) throw error;
    await put(s3, mark);
  }
  return true;
}
