import { CHANGED, GONE, type OpenedFile, Refusal, type Source, type SourceEntry, Unreadable } from '@postshelf/domain';
import { connect, type S3Connection, type S3Options } from '../client/connection.ts';
import { codeOf, httpStatusOf, isConditionFailed, isMissing } from '../client/failures.ts';
import { headObject } from '../client/head-object.ts';
import { LISTING_RIGHT, listKeys, probeListing } from '../client/list.ts';
import { streamRange } from '../client/read.ts';
import { unusable } from '../client/unusable-bucket.ts';

/**
 * Opens a bucket as a source of objects to import. Needs only the rights to list and read (s3:ListBucket,
 * s3:GetObject).
 *
 * @param prefix the beginning of the keys; empty, or ends with a slash
 * @throws UnusableBucket, with one line that says what is wrong
 */
export async function openBucketSource(options: S3Options, prefix: string): Promise<Source> {
  const s3 = connect(options);
  try {
    await probeListing(s3, prefix);
  } catch (error) {
    s3.close();
    throw unusable(error, s3.place, LISTING_RIGHT);
  }
  return {
    place: `s3://${s3.bucket}/${prefix}`,
    entries: (reasonToLeaveOut) => entriesOf(s3, prefix, reasonToLeaveOut),
    open: (path) => openObject(s3, prefix + path),
    close: () => s3.close(),
  };
}

async function* entriesOf(
  s3: S3Connection,
  prefix: string,
  reasonToLeaveOut: (path: string) => string | null,
): AsyncGenerator<SourceEntry> {
  // Keys are listed in order, so all keys of a folder follow one another, and only the last folder that was left out
  // has to be remembered.
  let leftOut: string | null = null;
  for await (const { key, size, modifiedAt } of listKeys(s3, { prefix })) {
    const path = key.slice(prefix.length);
    // Consoles create keys that end with a slash, to show an empty folder.
    if (path === '' || path.endsWith('/')) continue;
    if (leftOut !== null && path.startsWith(`${leftOut}/`)) continue;
    const found = firstLeftOut(path, reasonToLeaveOut);
    leftOut = found?.path ?? null;
    yield found ?? { kind: 'file', path, size, modifiedAt: wholeSeconds(modifiedAt) };
  }
}

/** Drops fractions of seconds, which some stores list but an object's header can't have (RFC 9110 section 8.8.2). */
const wholeSeconds = (time: number): number => Math.floor(time / 1000) * 1000;

/**
 * Returns the outermost folder of the file that has to be left out or, if no folder has to be, the file itself. Returns
 * null if neither has to be left out.
 */
function firstLeftOut(path: string, reasonToLeaveOut: (path: string) => string | null): SourceEntry | null {
  for (let end = path.indexOf('/'); ; end = path.indexOf('/', end + 1)) {
    const part = end === -1 ? path : path.slice(0, end);
    const reason = part === '' ? null : reasonToLeaveOut(part);
    if (reason !== null) return { kind: 'left_out', path: part, reason };
    if (end === -1) return null;
  }
}

async function openObject(s3: S3Connection, key: string): Promise<OpenedFile> {
  const found = await asUnreadable(() => headObject(s3, key));
  if (found === null) throw new Unreadable(GONE);
  const { size } = found;
  async function* chunks(): AsyncGenerator<Uint8Array> {
    if (size === 0 || found === null) return;
    const reader = streamRange(s3, found, { start: 0, end: size - 1 }).getReader();
    try {
      for (let next = await asUnreadable(() => reader.read()); !next.done; ) {
        yield next.value;
        next = await asUnreadable(() => reader.read());
      }
    } finally {
      await reader.cancel().catch(() => undefined);
    }
  }
  return { size, modifiedAt: found.modifiedAt, chunks: chunks(), localPath: null, close: async () => undefined };
}

/** HTTP statuses for an object in an archive, or one that the access key isn't allowed to read. */
const KEPT_BACK: readonly number[] = [401, 403];

/** @throws Unreadable for an error that concerns only this object */
async function asUnreadable<T>(read: () => Promise<T>): Promise<T> {
  try {
    return await read();
  } catch (error) {
    const cause = error instanceof Refusal ? error.cause : error;
    if (isMissing(cause)) throw new Unreadable(GONE);
    if (isConditionFailed(cause)) throw new Unreadable(CHANGED, true);
    if (!KEPT_BACK.includes(httpStatusOf(cause))) throw error;
    throw new Unreadable(`The store refuses to send it (${codeOf(cause)}, HTTP ${httpStatusOf(cause)}).`);
  }
}
