import { existsSync, readdirSync, renameSync } from 'node:fs';
import { join } from 'node:path';
import type { S3Access } from '@postshelf/testing/servers/s3';
import { filesBelow } from './disk.ts';
import { settingsOf } from './s3.ts';
import type { Settings } from './server.ts';

const isS3 = process.env.POSTSHELF_TEST_STORAGE === 's3';

/** Whether the suite uses a bucket (`POSTSHELF_TEST_STORAGE=s3`) instead of files in the data folder. */
export const isOnBucket = isS3;

/** Settings for tests that need files on the disk, whatever storage the suite uses. */
export const onDisk: Settings = { S3_BUCKET: undefined };

/** A world's storage: the service's settings for it, and access that bypasses the service. */
export interface WorldStorage {
  readonly settings: Settings;
  /**
   * Whether the storage is a bucket. The service sends an upload to a bucket in parts of several megabytes, so a small
   * upload isn't visible until it is complete. What a killed process leaves in a bucket is removed after a day, not
   * immediately.
   */
  readonly isBucket: boolean;
  /** The sorted names of all files, including staged ones, except for the library's mark, previews and the trash. */
  names(): Promise<string[]>;
  /** The sorted names of all files in the trash. */
  trash(): Promise<string[]>;
  /** Makes everything in the trash an hour older by changing the time in its name. */
  ageTrash(): Promise<void>;
  remove(): Promise<void>;
}

/** @param settings the settings of the world; if they don't contain `S3_BUCKET` at all, the suite's storage is used */
export async function storageOfWorld(dataDir: string, settings: Settings): Promise<WorldStorage> {
  const given = settings.S3_BUCKET;
  if (given) return bucketStorage(accessOf(settings), given, {}, async () => undefined);
  if ('S3_BUCKET' in settings || !isOnBucket) {
    const names = async () => filesBelow(dataDir);
    const ageTrash = async (): Promise<void> => {
      const trash = join(dataDir, 'media', '.trash');
      for (const time of existsSync(trash) ? readdirSync(trash) : [])
        renameSync(join(trash, time), join(trash, aged(time)));
    };
    return { settings: {}, isBucket: false, ...divided(names), ageTrash, remove: async () => undefined };
  }
  const { makeBucket, realS3 } = await s3Servers();
  const s3 = await realS3('the API over S3');
  if (!s3) throw new Error('POSTSHELF_TEST_STORAGE=s3 needs a store that speaks S3.');
  const { bucket, remove } = await makeBucket(s3);
  // Links return the bytes instead of a redirect, as they do with storage in a folder. Other tests cover redirects.
  return bucketStorage(s3, bucket, { ...settingsOf(s3, bucket), S3_REDIRECT: 'false' }, remove);
}

async function bucketStorage(
  access: S3Access,
  bucket: string,
  settings: Settings,
  remove: () => Promise<void>,
): Promise<WorldStorage> {
  const { bucketContents, clientOf, moveObject } = await s3Servers();
  const client = clientOf(access);
  const names = async () => {
    const { objects, uploads } = await bucketContents(client, bucket);
    return [...objects, ...uploads.map(({ key, id }) => `${key} (${id})`)].sort();
  };
  return {
    settings,
    isBucket: true,
    ...divided(names),
    ageTrash: async () => {
      const trashed = (await names()).filter((name) => TRASHED.test(name));
      for (const name of trashed) await moveObject(client, bucket, name, name.replace(/\d+/, aged));
    },
    remove: async () => {
      client.destroy();
      await remove();
    },
  };
}

/** Loads the module on demand, because loading the S3 client takes half a second, and most worlds don't need it. */
const s3Servers = () => import('@postshelf/testing/servers/s3');

/** Divides all names, except for the mark and previews, into those in the trash and those outside of it. */
function divided(all: () => Promise<string[]>): Pick<WorldStorage, 'names' | 'trash'> {
  return {
    names: async () =>
      (await all()).filter((name) => !TRASHED.test(name) && !MARK.test(name) && !name.startsWith('.previews/')),
    trash: async () => (await all()).filter((name) => TRASHED.test(name)),
  };
}

const aged = (time: string): string => String(Number(time) - 3_600_000);

const TRASHED = /^(media\/)?\.trash\//;
const MARK = /^(media\/)?\.library$/;

function accessOf(settings: Settings): S3Access {
  const { S3_ENDPOINT = '', S3_REGION = 'us-east-1', S3_ACCESS_KEY_ID = '', S3_SECRET_ACCESS_KEY = '' } = settings;
  return {
    endpoint: S3_ENDPOINT,
    region: S3_REGION,
    credentials: { accessKeyId: S3_ACCESS_KEY_ID, secretAccessKey: S3_SECRET_ACCESS_KEY },
    forcePathStyle: settings.S3_FORCE_PATH_STYLE === 'true',
  };
}
