import { GetObjectCommand, HeadObjectCommand } from '@aws-sdk/client-s3';
import { getSignedUrl } from '@aws-sdk/s3-request-presigner';
import type { TemporaryLinks } from '@postshelf/domain';
import { requireObjectKey } from '../../objects/staged.ts';
import type { S3Connection } from '../client/connection.ts';

export class S3Links implements TemporaryLinks {
  constructor(private readonly s3: S3Connection) {}

  async linkTo(
    key: string,
    { method, expiresIn, isPrivate, disposition }: Parameters<TemporaryLinks['linkTo']>[1],
  ): Promise<string> {
    requireObjectKey(key);
    // Without this header, the object's own header would let every cache along the way keep the file.
    const cached = isPrivate && { ResponseCacheControl: `private, max-age=${expiresIn}, immutable` };
    const named = disposition !== undefined && { ResponseContentDisposition: disposition };
    const object = { Bucket: this.s3.bucket, Key: key, ...cached, ...named };
    const command = method === 'HEAD' ? new HeadObjectCommand(object) : new GetObjectCommand(object);
    return getSignedUrl(this.s3.signer, command, { expiresIn });
  }
}
