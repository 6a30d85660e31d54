import { CopyObjectCommand } from '@aws-sdk/client-s3';
import pLimit from 'p-limit';
import type { S3Connection } from './connection.ts';
import { isNotImplemented, translateErrors } from './failures.ts';
import { requireStored } from './head-object.ts';
import { copySource } from './keys.ts';
import { MultipartUpload, type ObjectDetails } from './multipart-upload.ts';

/** Bytes per part, few enough for a slow store to finish within the timeout of a copy. */
const COPY_PART_SIZE = 128 * 1024 * 1024;

const CONCURRENCY = 4;

/** The properties of an object that are needed to copy it. */
export interface Copied {
  readonly key: string;
  readonly size: number;
  readonly mime?: string;
}

export interface CopyOptions extends ObjectDetails {
  /**
   * Whether the copy fails if the target key already has an object. A store that doesn't support this condition on
   * copies overwrites the object.
   */
  readonly ifNothingStands?: boolean;
}

/**
 * Copies an object within the store, atomically.
 *
 * @throws Refusal `unavailable`; StoreFailure 412 when the key already has an object, 404 when the source no longer
 * exists
 */
export async function copyBytes(
  s3: S3Connection,
  source: Copied,
  key: string,
  { ifNothingStands = false, ...details }: CopyOptions,
): Promise<void> {
  const condition = ifNothingStands ? { IfNoneMatch: '*' as const } : {};
  if (source.size <= COPY_PART_SIZE) return copyWhole(s3, source, key, details, condition);
  try {
    await copyInParts(s3, source, key, details, condition);
  } catch (error) {
    if (!isNotImplemented(error)) throw error;
    // Some stores can copy only whole objects.
    await copyWhole(s3, source, key, details, condition);
  }
}

/** Copies an object with its content type to another key, and checks that the copy is complete. */
export async function copyChecked(s3: S3Connection, source: Copied, key: string): Promise<void> {
  await copyBytes(s3, source, key, source.mime === undefined ? {} : { ContentType: source.mime });
  const { size } = await requireStored(s3, key);
  if (size !== source.size) throw new Error(`A copy within the store has ${size} bytes instead of ${source.size}.`);
}

interface Condition {
  readonly IfNoneMatch?: '*';
}

/** Makes a request with a condition; again without it if the store doesn't support conditions. */
async function underCondition(condition: Condition, request: (condition: Condition) => Promise<void>): Promise<void> {
  try {
    await request(condition);
  } catch (error) {
    if (condition.IfNoneMatch === undefined || !isNotImplemented(error)) throw error;
    await request({});
  }
}

async function copyWhole(
  { client, bucket, timeouts }: S3Connection,
  source: Copied,
  key: string,
  details: ObjectDetails,
  condition: Condition,
): Promise<void> {
  const CopySource = copySource(bucket, source.key);
  const request = { Bucket: bucket, Key: key, CopySource, MetadataDirective: 'REPLACE' as const };
  await underCondition(condition, (supported) =>
    translateErrors(async () => {
      await client.send(new CopyObjectCommand({ ...request, ...details, ...supported }), {
        abortSignal: AbortSignal.timeout(timeouts.copy),
        requestTimeout: timeouts.copy,
      });
    }),
  );
}

async function copyInParts(
  s3: S3Connection,
  source: Copied,
  key: string,
  details: ObjectDetails,
  condition: Condition,
): Promise<void> {
  const upload = await MultipartUpload.begin(s3, key, details);
  try {
    const limit = pLimit(CONCURRENCY);
    const count = Math.ceil(source.size / COPY_PART_SIZE);
    const parts = Array.from({ length: count }, (_, index) => {
      const start = index * COPY_PART_SIZE;
      const end = Math.min(start + COPY_PART_SIZE, source.size) - 1;
      return limit(() => upload.copy(index + 1, source, { start, end }));
    });
    await Promise.all(parts);
    await underCondition(condition, (supported) => upload.complete(source.size, supported));
  } catch (error) {
    await upload.abort();
    throw error;
  }
}
