import { PutObjectCommand } from '@aws-sdk/client-s3';
import type { ListedPreview, PreviewKey, PreviewStorage, StoredObject } from '@postshelf/domain';
import { listedPreview, PREVIEWS, requirePreviewFolder, requirePreviewPath } from '../../layout/previews.ts';
import type { S3Connection } from '../client/connection.ts';
import { translateErrors } from '../client/failures.ts';
import { listKeys } from '../client/list.ts';
import { lookUp } from '../client/look-up.ts';
import { streamRange } from '../client/read.ts';
import { removeKey } from '../client/remove.ts';
import { piecesOf, sendBytes } from '../client/send-bytes.ts';

const PREFIX = `${PREVIEWS}/`;

/** Stores previews in a bucket, as `.previews/{workspace}/{id}/{width}.webp`. */
export class S3Previews implements PreviewStorage {
  constructor(private readonly s3: S3Connection) {}

  async open(key: PreviewKey): Promise<StoredObject | null> {
    const found = await lookUp(this.s3, PREFIX + requirePreviewPath(key));
    if (!found) return null;
    return {
      size: found.size,
      version: found.etag,
      body: (range) => streamRange(this.s3, found, range ?? { start: 0, end: found.size - 1 }),
    };
  }

  async put(key: PreviewKey, bytes: Uint8Array): Promise<void> {
    const Key = PREFIX + requirePreviewPath(key);
    const request = { Bucket: this.s3.bucket, Key, ContentLength: bytes.byteLength, ContentType: 'image/webp' };
    await translateErrors(() =>
      sendBytes(this.s3, piecesOf(bytes), (Body, options) =>
        this.s3.client.send(new PutObjectCommand({ ...request, Body }), options),
      ),
    );
  }

  async remove(of: Parameters<PreviewStorage['remove']>[0]): Promise<void> {
    const prefix = `${PREFIX}${requirePreviewFolder(of)}/`;
    for await (const { key } of listKeys(this.s3, { prefix })) {
      if (listedPreview(key.slice(PREFIX.length), 0)) await removeKey(this.s3, key);
    }
  }

  async *list(): AsyncGenerator<ListedPreview> {
    for await (const { key, size } of listKeys(this.s3, { prefix: PREFIX })) {
      const listed = listedPreview(key.slice(PREFIX.length), size);
      if (listed) yield listed;
    }
  }
}
