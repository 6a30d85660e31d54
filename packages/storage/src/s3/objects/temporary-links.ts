import { GetObjectCommand, HeadObjectCommand } from '@aws-sdk/client-s3';
import { getSignedUrl } from '@aws-sdk/s3-request-presigner';
import type { TemporaryLinks } from '@postshelf/domain';
import type { S3Connection } from '../client/connection.ts';
import { requireObjectKey } from '../client/keys.ts';

/** Signed links to objects, which the store serves itself. */
export class S3Links implements TemporaryLinks {
  constructor(private readonly s3: S3Connection) {}

  async linkTo(key: string, { method, expiresIn }: Parameters<TemporaryLinks['linkTo']>[1]): Promise<string> {
    requireObjectKey(key);
    const object = { Bucket: this.s3.bucket, Key: key };
    const command = method === 'HEAD' ? new HeadObjectCommand(object) : new GetObjectCommand(object);
    return getSignedUrl(this.s3.signer, command, { expiresIn });
  }
}
