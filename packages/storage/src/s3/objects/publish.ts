import { randomUUID } from 'node:crypto';
import { isMediaType } from '@postshelf/domain';
import type { S3Connection } from '../client/connection.ts';
import { type Copied, copyBytes } from '../client/copy.ts';
import { headObject } from '../client/head-object.ts';
import { contentTypeOf } from '../client/keys.ts';

/** Lets caches keep an object for a year without asking again (RFC 8246). */
const CACHE_CONTROL = 'public, max-age=31536000, immutable';

/** Metadata by which a call recognizes its own object if the answer was lost. */
const PUBLISHING = 'postshelf-publishing';

/**
 * Copies staged bytes to an unused key. Sets content type and caching, in case the store itself serves the object.
 *
 * Nothing is overwritten: the key is checked first, and the copy has a condition. A store that ignores conditions on
 * copies (Ceph 16) would let the later of two callers win, but each key is used only once.
 *
 * @param mime by default the type of the bytes, or of the key's extension
 * @returns false when the key already has an object
 * @throws Refusal `unavailable`
 */
export async function publish(s3: S3Connection, bytes: Copied, key: string, mime?: string): Promise<boolean> {
  if (await headObject(s3, key)) return false;
  const publishing = randomUUID();
  try {
    await copyBytes(s3, bytes, key, { ...detailsOf(bytes, key, mime, publishing), ifNothingStands: true });
  } catch (error) {
    // An attempt whose answer was lost may have made the object.
    const found = await headObject(s3, key);
    if (!found) throw error;
    return found.metadata[PUBLISHING] === publishing;
  }
  return true;
}

/**
 * Like {@link publish}, but replaces an existing object, atomically.
 *
 * @throws Refusal `unavailable`
 */
export async function replace(s3: S3Connection, bytes: Copied, key: string, mime?: string): Promise<true> {
  await copyBytes(s3, bytes, key, detailsOf(bytes, key, mime, randomUUID()));
  return true;
}

const detailsOf = ({ mime: stored = '' }: Copied, key: string, mime: string | undefined, publishing: string) => ({
  ContentType: mime ?? (isMediaType(stored) ? stored : contentTypeOf(key)),
  CacheControl: CACHE_CONTROL,
  Metadata: { [PUBLISHING]: publishing },
});
