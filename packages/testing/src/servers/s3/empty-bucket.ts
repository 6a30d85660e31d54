import {
  AbortMultipartUploadCommand,
  CopyObjectCommand,
  DeleteObjectCommand,
  DeleteObjectsCommand,
  GetObjectCommand,
  ListMultipartUploadsCommand,
  ListObjectsV2Command,
  PutObjectCommand,
  type S3Client,
} from '@aws-sdk/client-s3';

/** Returns the keys of the objects in a bucket, and the multipart uploads that were neither completed nor aborted. */
export async function bucketContents(
  client: S3Client,
  bucket: string,
): Promise<{ readonly objects: string[]; readonly uploads: { readonly key: string; readonly id: string }[] }> {
  const objects: string[] = [];
  for (let token: string | undefined, more = true; more; more = token !== undefined) {
    const page = await client.send(new ListObjectsV2Command({ Bucket: bucket, ContinuationToken: token }));
    for (const { Key } of page.Contents ?? []) if (Key !== undefined) objects.push(Key);
    token = page.NextContinuationToken;
  }
  const { Uploads = [] } = await client.send(new ListMultipartUploadsCommand({ Bucket: bucket }));
  return { objects, uploads: Uploads.map(({ Key = '', UploadId = '' }) => ({ key: Key, id: UploadId })) };
}

/**
 * Returns the bytes stored under a key.
 *
 * @throws if there are none
 */
export async function bucketObject(client: S3Client, bucket: string, key: string): Promise<Uint8Array> {
  const { Body } = await client.send(new GetObjectCommand({ Bucket: bucket, Key: key }));
  return Body ? Body.transformToByteArray() : new Uint8Array();
}

export async function putObject(
  client: S3Client,
  bucket: string,
  key: string,
  body: string | Uint8Array,
): Promise<void> {
  await client.send(new PutObjectCommand({ Bucket: bucket, Key: key, Body: body }));
}

export async function moveObject(client: S3Client, bucket: string, from: string, to: string): Promise<void> {
  await client.send(
    new CopyObjectCommand({ Bucket: bucket, Key: to, CopySource: `${bucket}/${encodeURIComponent(from)}` }),
  );
  await client.send(new DeleteObjectCommand({ Bucket: bucket, Key: from }));
}

/** The maximum number of objects that a request can delete. */
const MAX_PER_REQUEST = 1000;

/** Removes everything in a bucket. */
export async function emptyBucket(client: S3Client, bucket: string): Promise<void> {
  const { objects, uploads } = await bucketContents(client, bucket);
  for (let start = 0; start < objects.length; start += MAX_PER_REQUEST) {
    const some = objects.slice(start, start + MAX_PER_REQUEST).map((Key) => ({ Key }));
    const { Errors = [] } = await client.send(new DeleteObjectsCommand({ Bucket: bucket, Delete: { Objects: some } }));
    if (Errors.length > 0) throw new Error(`Not all objects were deleted: ${JSON.stringify(Errors)}`);
  }
  for (const { key, id } of uploads) {
    await client.send(new AbortMultipartUploadCommand({ Bucket: bucket, Key: key, UploadId: id }));
  }
}
