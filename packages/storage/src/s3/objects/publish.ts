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
 * Copies staged bytes to an unused key. The object has its type, and may be cached for ever, in case the store serves it
 * itself.
 *
 * Nothing is overwritten: the key is checked first, and the copy has the condition that there is no object. AWS keeps to
 * it; a store that doesn't support it on copies (Ceph 16) ignores it, so of two callers that saw no object the later one
 * would win. That can't happen, as keys are used once, and confirmations of an upload take turns by a lease.
 *
 * @throws Error when there is an object already; Refusal `unavailable`
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
