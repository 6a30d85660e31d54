import { unlinkSync } from 'node:fs';
import { join } from 'node:path';
import { clientOf, emptyBucket, makeBucket, type RealS3 } from '@postshelf/testing/servers/s3';
import { filesBelow } from '../../support/disk.ts';
import { settingsOf } from '../../support/s3.ts';
import type { Settings } from '../../support/server.ts';
import { onDisk } from '../../support/storage.ts';
import { World } from '../../support/world.ts';

/** A world with one of the storages, and access to this storage that bypasses the service. */
export interface Library {
  readonly world: World;
  /** Deletes every object. */
  loseAll(): Promise<void>;
  close(): Promise<void>;
}

/** A kind of storage that tests use. */
export interface Storage {
  readonly name: string;
  /** Whether a link answers with a redirect to the storage instead of the bytes. */
  readonly redirects: boolean;
  /** Whether uploads are sent to the service itself. */
  readonly receives: boolean;
  open(settings?: Settings): Promise<Library>;
}

export const onFiles: Storage = {
  name: 'files',
  redirects: false,
  receives: true,
  open: async (settings = {}) => {
    const world = await World.open({ ...onDisk, ...settings });
    return {
      world,
      loseAll: async () => {
        for (const path of filesBelow(world.dataDir))
          if (!path.includes('/.') && path.includes('/')) unlinkSync(join(world.dataDir, path));
      },
      close: () => world.close(),
    };
  },
};

/** Uses a new bucket for each world. @param redirects the setting `S3_REDIRECT` */
export function bucketStorage(s3: RealS3, redirects: boolean): Storage {
  const open = async (settings: Settings = {}): Promise<Library> => {
    const { bucket, remove } = await makeBucket(s3);
    const client = clientOf(s3);
    const world = await World.open({ ...settingsOf(s3, bucket), S3_REDIRECT: String(redirects), ...settings });
    return {
      world,
      loseAll: () => emptyBucket(client, bucket),
      close: async () => {
        await world.close();
        client.destroy();
        await remove();
      },
    };
  };
  return { name: `${s3.product}, ${redirects ? 'redirecting' : 'streaming'}`, redirects, receives: false, open };
}
