import { randomUUID } from 'node:crypto';
import type { S3Connection } from '../client/connection.ts';
import { copyBytes } from '../client/copy.ts';
import { contentTypeOf } from '../client/keys.ts';
import { lookUp, type StoredBytes } from '../client/look-up.ts';

/** Objects never change under their key, so a cache may keep one for ever (RFC 8246). */
const CACHE_CONTROL = 'public, max-age=31536000, immutable';

/** Metadata of an object: which publishing made it, so that one whose answer was lost is known again. */
const PUBLISHING = 'postshelf-publishing';

/**
 * Copies staged bytes to an object's key where nothing stands. The object says its type, and that it may be cached for
 * ever, for the day the store serves it itself.
 *
 * Nothing is written over: the key is looked at first, and the copy is made on condition that nothing stands there. AWS
 * keeps to that; a store that doesn't know the condition on a copy (Ceph 16) ignores it, and of two callers that saw
 * nothing there a moment ago the later one wins. Keys are used once, and confirmations of an upload take turns by a lease,
 * so no two callers are.
 *
 * @throws Error when something stands there; Refusal `unavailable`
 */
export async function publish(s3: S3Connection, bytes: StoredBytes, key: string): Promise<void> {
  if (await lookUp(s3, key)) throw new Error('Something stands under the key already.');
  const publishing = randomUUID();
  try {
    await copyBytes(s3, bytes, key, { ...detailsOf(key, publishing), ifNothingStands: true });
  } catch (error) {
    // An attempt whose answer was lost may have copied: the next one then found the key taken, by itself.
    const found = await lookUp(s3, key);
    if (found?.metadata[PUBLISHING] === publishing) return;
    throw found ? new Error('Something stands under the key already.', { cause: error }) : error;
  }
}

/**
 * The same whatever stands under the key: the store puts the copy there in one step (AWS' "strong consistency" for
 * overwrites, and Ceph's).
 *
 * @throws Refusal `unavailable`
 */
export async function replace(s3: S3Connection, bytes: StoredBytes, key: string): Promise<void> {
  await copyBytes(s3, bytes, key, detailsOf(key, randomUUID()));
}

const detailsOf = (key: string, publishing: string) => ({
  ContentType: contentTypeOf(key),
  CacheControl: CACHE_CONTROL,
  Metadata: { [PUBLISHING]: publishing },
});
