import { describeObjectStorage } from '@postshelf/testing/contracts/objects/object-storage';
import { makeBucket, realS3 } from '@postshelf/testing/servers/s3';
import { openS3 } from '../../../src/s3/index.ts';

const s3 = await realS3('the S3 storage');

if (s3) {
  describeObjectStorage(s3.product, { tellsWhoLives: false, mayRaceForKeys: true }, async () => {
    const { bucket, remove } = await makeBucket(s3);
    const [one, two, other] = await Promise.all([1, 2, 3].map(() => openS3({ ...s3, bucket })));
    if (!one || !two || !other) throw new Error('not opened');
    return {
      one: one.storage,
      two: two.storage,
      // The store knows no process from another, and one that is gone from one that is silent.
      crash: async (bytes, key) => {
        const staged = await other.storage.stage(chunksOf(bytes), { limit: bytes.length });
        if (key !== null) await staged.publish(key);
      },
      close: async () => {
        for (const each of [one, two, other]) each.close();
        await remove();
      },
    };
  });
}

async function* chunksOf(bytes: Uint8Array): AsyncGenerator<Uint8Array> {
  yield bytes;
}
