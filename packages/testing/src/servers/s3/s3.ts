import { CreateBucketCommand, DeleteBucketCommand, PutBucketPolicyCommand, S3Client } from '@aws-sdk/client-s3';
import { wantsContainers } from '../container-engine.ts';
import { emptyBucket } from './empty-bucket.ts';
import { type Gateway, startRadosgw } from './radosgw.ts';
import type { S3Access } from './s3-access.ts';
import { startS3Container } from './s3-container.ts';

/** A store that really implements S3, including the check of signatures. */
export interface RealS3 extends S3Access {
  readonly product: string;
  /** The store's process, if it belongs to this test run and may be stopped and killed. */
  readonly gateway: Gateway | null;
}

let found: Promise<RealS3 | null> | undefined;

/**
 * Returns the one store of this test run: the one that `S3_ENDPOINT` and its companions name; otherwise Ceph's radosgw,
 * started if it is on PATH; otherwise MinIO in a container, if a container engine answers. If there is none, returns
 * null and reports on standard error what is skipped.
 *
 * @param skipped what a missing store leaves untested
 * @throws Error if there is none and `CI` is set, because CI must not skip tests
 */
export async function realS3(skipped: string): Promise<RealS3 | null> {
  found ??= find();
  const s3 = await found;
  if (s3) return s3;
  const message = `No S3 to test with (no S3_ENDPOINT, no Docker engine; apt-get install radosgw ceph-mon ceph-osd). SKIPPED: ${skipped}`;
  if (process.env.CI) throw new Error(message);
  process.stderr.write(`\n${message}\n\n`);
  return null;
}

async function find(): Promise<RealS3 | null> {
  if (process.env.S3_ENDPOINT) {
    return { ...readAccess(process.env), product: process.env.S3_ENDPOINT, gateway: null };
  }
  const ceph = wantsContainers() ? null : await startRadosgw();
  if (ceph) return { ...readAccess(ceph.settings), product: 'Ceph radosgw', gateway: ceph.gateway };
  const container = await startS3Container();
  return container && { ...container, gateway: null };
}

function readAccess(settings: Readonly<Record<string, string | undefined>>): S3Access {
  const read = (name: string): string => {
    const value = settings[name];
    if (!value) throw new Error(`${name} must be set together with S3_ENDPOINT.`);
    return value;
  };
  return {
    endpoint: read('S3_ENDPOINT'),
    region: settings.S3_REGION || 'us-east-1',
    credentials: { accessKeyId: read('S3_ACCESS_KEY_ID'), secretAccessKey: read('S3_SECRET_ACCESS_KEY') },
    forcePathStyle: settings.S3_FORCE_PATH_STYLE !== 'false',
  };
}

/**
 * Creates a bucket, and returns a function that removes it with all its contents, including uploads that were never
 * completed.
 */
export async function makeBucket(access: S3Access): Promise<{ readonly bucket: string; remove(): Promise<void> }> {
  const client = clientOf(access);
  const bucket = `postshelf-test-${crypto.randomUUID()}`;
  await client.send(new CreateBucketCommand({ Bucket: bucket }));
  return {
    bucket,
    remove: async () => {
      await emptyBucket(client, bucket);
      await client.send(new DeleteBucketCommand({ Bucket: bucket }));
      client.destroy();
    },
  };
}

/** Sets the policy of a bucket, in JSON. */
export async function putPolicy(access: S3Access, bucket: string, policy: string): Promise<void> {
  const client = clientOf(access);
  await client.send(new PutBucketPolicyCommand({ Bucket: bucket, Policy: policy }));
  client.destroy();
}

/** Returns a client to inspect a store directly, without the adapter. */
export function clientOf({ endpoint, region, credentials, forcePathStyle }: S3Access): S3Client {
  return new S3Client({
    endpoint,
    region,
    credentials,
    forcePathStyle,
    requestChecksumCalculation: 'WHEN_REQUIRED',
    responseChecksumValidation: 'WHEN_REQUIRED',
  });
}
