import {
  AbortMultipartUploadCommand,
  DeleteObjectCommand,
  ListMultipartUploadsCommand,
  ListObjectsV2Command,
  type S3Client,
} from '@aws-sdk/client-s3';

/** What is in a bucket, by key: objects, and multipart uploads that were neither completed nor aborted. */
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

/** Removes everything in a bucket. */
export async function emptyBucket(client: S3Client, bucket: string): Promise<void> {
  const { objects, uploads } = await bucketContents(client, bucket);
  await Promise.all(objects.map((Key) => client.send(new DeleteObjectCommand({ Bucket: bucket, Key }))));
  for (const { key, id } of uploads) {
    await client.send(new AbortMultipartUploadCommand({ Bucket: bucket, Key: key, UploadId: id }));
  }
}
