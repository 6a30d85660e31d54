import { afterAll } from 'bun:test';
import { DeleteObjectCommand, PutObjectCommand } from '@aws-sdk/client-s3';
import { describeTrash } from '@postshelf/testing/contracts/garbage/trash';
import { describeSource } from '@postshelf/testing/contracts/intake/source';
import { describeStorageMarker } from '@postshelf/testing/contracts/library/storage-marker';
import { describeObjectStorage } from '@postshelf/testing/contracts/objects/object-storage';
import { describePresignStorage } from '@postshelf/testing/contracts/presign-storage/presign-storage';
import { describePreviewStorage } from '@postshelf/testing/contracts/previews/preview-storage';
import { describeResumableStorage } from '@postshelf/testing/contracts/resumable/resumable-storage';
import { realS3 } from '@postshelf/testing/servers/s3';
import { openBucketSource } from '../../src/s3/index.ts';
import { stageBytes } from '../support/objects.ts';
import { shareBucket } from '../support/s3.ts';

const s3 = await realS3('the contracts of the storage in a bucket');

if (s3) {
  const { bucket, client, opened, empty, close } = await shareBucket(s3, 3);
  const [one, two, other] = opened;
  if (!one || !two || !other) throw new Error('not opened');
  afterAll(close);

  describeObjectStorage(s3.product, { detectsDeadProcesses: false, mayRaceForKeys: true }, async () => ({
    one: one.storage,
    two: two.storage,
    // A store can't tell processes apart, nor a dead process from a silent one. So no process is killed here: another
    // connection stages the bytes and then does nothing more.
    crash: async (bytes, key) => {
      const staged = await stageBytes(other.storage, bytes);
      if (key !== null) await staged.publish(key);
    },
    close: empty,
  }));

  describeTrash(s3.product, async () => ({ storage: one.storage, one: one.trash, two: two.trash, close: empty }));

  describePreviewStorage(s3.product, async () => ({
    storage: one.storage,
    one: one.previews,
    two: two.previews,
    close: empty,
  }));

  describeSource(s3.product, async () => ({
    source: await openBucketSource({ ...s3, bucket }, 'some/uploads/'),
    put: (path, bytes) =>
      client.send(new PutObjectCommand({ Bucket: bucket, Key: `some/uploads/${path}`, Body: bytes })),
    remove: (path) => client.send(new DeleteObjectCommand({ Bucket: bucket, Key: `some/uploads/${path}` })),
    close: empty,
  }));

  describePresignStorage(s3.product, async () => ({ presign: one.presign, storage: one.storage, close: empty }));

  describeResumableStorage(s3.product, async () => ({
    one: one.resumable,
    two: two.resumable,
    presign: one.presign,
    storage: one.storage,
    close: empty,
  }));

  describeStorageMarker(s3.product, async () => ({
    one: one.marker,
    two: two.marker,
    spoil: async (bytes) => {
      await client.send(new PutObjectCommand({ Bucket: bucket, Key: '.library', Body: bytes }));
    },
    close: empty,
  }));
}
