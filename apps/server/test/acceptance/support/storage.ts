import type { S3Access } from '@postshelf/testing/servers/s3';
import { filesBelow } from './disk.ts';
import { settingsOf } from './s3.ts';
import type { Settings } from './server.ts';

/** What the suite is run over: files in the data folder, unless `POSTSHELF_TEST_STORAGE` says `s3`. */
const isS3 = process.env.POSTSHELF_TEST_STORAGE === 's3';

/** Whether the suite is run over a bucket. */
export const isOnBucket = isS3;

/** Whether answers have no `Content-Length`: Bun sends what comes from elsewhere in chunks (oven-sh/bun#10507). */
export const isChunked = isS3;

/** Settings of a world whose subject is files on the disk, whatever the suite is run over. */
export const onDisk: Settings = { S3_BUCKET: undefined };

/** Where a world's media are, and a look at it behind the service's back. */
export interface WorldStorage {
  readonly settings: Settings;
  /**
   * Whether it is a bucket. There uploads are sent on in parts of some megabytes, so a small one isn't seen before it is
   * whole; and what a killed process left goes when it is a day old, not at once.
   */
  readonly isBucket: boolean;
  /** Names of all that it holds but the library's mark, previews and the trash, sorted; what is on its way too. */
  names(): Promise<string[]>;
  /** Names of what lies in the trash, sorted. */
  trash(): Promise<string[]>;
  remove(): Promise<void>;
}

/** @param settings what the world's own settings say of the storage; else the suite's switch does */
export async function storageOfWorld(dataDir: string, settings: Settings): Promise<WorldStorage> {
  const given = settings.S3_BUCKET;
  if (given) return bucketStorage(accessOf(settings), given, {}, async () => undefined);
  if (given === '' || !isS3) {
    const names = async () => filesBelow(dataDir);
    return { settings: {}, isBucket: false, ...sorted(names), remove: async () => undefined };
  }
  const { makeBucket, realS3 } = await s3Servers();
  const s3 = await realS3('the API over S3');
  if (!s3) throw new Error('POSTSHELF_TEST_STORAGE=s3 needs a store that speaks S3.');
  const { bucket, remove } = await makeBucket(s3);
  // Links answer with the bytes, as they do over files; what redirects is tested by the suites that are about it.
  return bucketStorage(s3, bucket, { ...settingsOf(s3, bucket), S3_REDIRECT: 'false' }, remove);
}

async function bucketStorage(
  access: S3Access,
  bucket: string,
  settings: Settings,
  remove: () => Promise<void>,
): Promise<WorldStorage> {
  const { bucketContents, clientOf } = await s3Servers();
  const client = clientOf(access);
  const names = async () => {
    const { objects, uploads } = await bucketContents(client, bucket);
    return [...objects, ...uploads.map(({ key, id }) => `${key} (${id})`)].sort();
  };
  return {
    settings,
    isBucket: true,
    ...sorted(names),
    remove: async () => {
      client.destroy();
      await remove();
    },
  };
}

/** With a client of S3, which takes half a second to load: most worlds have none. */
const s3Servers = () => import('@postshelf/testing/servers/s3');

/** The names but for the mark, previews and the trash, and the trash. */
function sorted(all: () => Promise<string[]>): Pick<WorldStorage, 'names' | 'trash'> {
  return {
    names: async () =>
      (await all()).filter((name) => !TRASHED.test(name) && !MARK.test(name) && !name.startsWith('.previews/')),
    trash: async () => (await all()).filter((name) => TRASHED.test(name)),
  };
}

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
