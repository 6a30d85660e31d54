import {
  ListMultipartUploadsCommand,
  ListObjectsV2Command,
  type ListObjectsV2CommandInput,
  type ListObjectsV2CommandOutput,
} from '@aws-sdk/client-s3';
import type { ListedKey } from '../../key-store.ts';
import type { S3Connection } from './connection.ts';
import { translateErrors } from './failures.ts';

/** The right that {@link probeListing} needs, in words that complete "the access key is not allowed to". */
export const LISTING_RIGHT = 'list it (s3:ListBucket)';

/**
 * Lists at most one key, which shows whether the bucket can be listed. A HEAD of the bucket takes the same right, but
 * its response has no error code.
 *
 * @throws the store's error
 */
export async function probeListing(
  { client, bucket }: S3Connection,
  prefix: string,
  options: { readonly abortSignal?: AbortSignal } = {},
): Promise<void> {
  await client.send(new ListObjectsV2Command({ Bucket: bucket, Prefix: prefix, MaxKeys: 1 }), options);
}

/**
 * Lists, in pages of 1,000, either every key that begins with `prefix` or every key that sorts after `after`.
 *
 * @throws Refusal `unavailable`
 */
export async function* listKeys(
  s3: S3Connection,
  where: { readonly prefix: string } | { readonly after: string },
): AsyncGenerator<Omit<ListedKey, 'isSettled'>> {
  for await (const page of pages(s3, 'prefix' in where ? { Prefix: where.prefix } : { StartAfter: where.after })) {
    for (const { Key, Size = 0, LastModified } of page.Contents ?? []) {
      if (Key === undefined || LastModified === undefined) continue;
      yield { key: decodeKey(page, Key), size: Size, modifiedAt: LastModified.getTime() };
    }
  }
}

/**
 * Returns the names, without slashes, of the folders directly below the prefix.
 *
 * @param prefix ends with a slash
 * @throws Refusal `unavailable`
 */
export async function listFolders(s3: S3Connection, prefix: string): Promise<readonly string[]> {
  const names: string[] = [];
  for await (const page of pages(s3, { Prefix: prefix, Delimiter: '/' })) {
    for (const { Prefix } of page.CommonPrefixes ?? []) {
      if (Prefix !== undefined) names.push(decodeKey(page, Prefix).slice(prefix.length, -1));
    }
  }
  return names;
}

async function* pages(
  { client, bucket }: S3Connection,
  where: Omit<ListObjectsV2CommandInput, 'Bucket'>,
): AsyncGenerator<ListObjectsV2CommandOutput> {
  let next: string | undefined;
  do {
    const request = { Bucket: bucket, ...where, EncodingType: 'url' as const, ContinuationToken: next };
    const page = await translateErrors(() => client.send(new ListObjectsV2Command(request)));
    yield page;
    next = page.NextContinuationToken;
  } while (next !== undefined);
}

/** Decodes a key. Stores URL-encode keys because XML can't contain every character; some encode a space as `+`. */
const decodeKey = ({ EncodingType }: ListObjectsV2CommandOutput, key: string): string =>
  EncodingType === 'url' ? decodeURIComponent(key.replaceAll('+', ' ')) : key;

interface ListedMultipart {
  readonly key: string;
  readonly id: string;
  readonly startedAt: number;
}

/** Lists uploads that were neither completed nor aborted. @throws Refusal `unavailable` */
export async function* listMultipartUploads(
  { client, bucket }: S3Connection,
  prefix: string,
): AsyncGenerator<ListedMultipart> {
  let after: { readonly KeyMarker?: string; readonly UploadIdMarker?: string } | null = {};
  while (after) {
    const request = { Bucket: bucket, Prefix: prefix, ...after };
    const page = await translateErrors(() => client.send(new ListMultipartUploadsCommand(request)));
    for (const { Key, UploadId, Initiated } of page.Uploads ?? []) {
      // Some stores don't filter by the prefix (MinIO treats it as a whole key).
      if (!Key?.startsWith(prefix) || UploadId === undefined || Initiated === undefined) continue;
      yield { key: Key, id: UploadId, startedAt: Initiated.getTime() };
    }
    after = nextPage(page);
  }
}

function nextPage(page: {
  IsTruncated?: boolean | undefined;
  NextKeyMarker?: string | undefined;
  NextUploadIdMarker?: string | undefined;
}): { readonly KeyMarker: string; readonly UploadIdMarker?: string } | null {
  if (!page.IsTruncated || !page.NextKeyMarker) return null;
  const { NextKeyMarker: KeyMarker, NextUploadIdMarker: UploadIdMarker } = page;
  return UploadIdMarker ? { KeyMarker, UploadIdMarker } : { KeyMarker };
}
