import { convertibleType, defectSentence, type Source, WRONG_TYPE } from '@postshelf/domain';
import { createMediaInspector, createPixelCheck } from '@postshelf/media';
import { openFolderSource } from '@postshelf/storage';
import type { UnusableBucket } from '@postshelf/storage/s3';
import { ConfigError } from '../config/config.ts';
import { readSource } from '../config/source.ts';
import { decodeCommand } from './previews.ts';

const BUCKET = /^s3:\/\/([a-z0-9][\w.-]{1,62})(?:\/(.*))?$/is;

/**
 * Opens the source of an import: a folder, or `s3://bucket/prefix` with the `SOURCE_S3_` settings.
 *
 * @throws ConfigError if the source can't be listed
 */
export async function openSource(address: string): Promise<Source> {
  if (!/^s3:/i.test(address)) {
    return openFolderSource(address).catch((error: Error) => {
      throw new ConfigError(`${address}: ${error.message}`);
    });
  }
  const [, bucket, path = ''] = BUCKET.exec(address) ?? [];
  if (bucket === undefined) throw new ConfigError(`${address}: must be s3://bucket or s3://bucket/prefix`);
  const { endpoint, credentials, ...options } = readSource();
  const store = { ...(endpoint !== null && { endpoint }), ...(credentials !== null && { credentials }) };
  // The SDK is loaded only when needed, because a folder is imported without it.
  const { openBucketSource, UnusableBucket } = await import('@postshelf/storage/s3');
  const prefix = path === '' || path.endsWith('/') ? path : `${path}/`;
  return openBucketSource({ ...options, ...store, bucket }, prefix).catch((error: unknown) => {
    throw error instanceof UnusableBucket ? asConfigError(address, error) : error;
  });
}

const SETTINGS: Readonly<Record<UnusableBucket['option'], string | null>> = {
  bucket: null,
  endpoint: 'SOURCE_S3_ENDPOINT',
  region: 'SOURCE_S3_REGION',
  accessKeyId: 'SOURCE_S3_ACCESS_KEY_ID',
  secretAccessKey: 'SOURCE_S3_SECRET_ACCESS_KEY',
};

const asConfigError = (address: string, { option, message }: UnusableBucket): ConfigError =>
  new ConfigError(`${SETTINGS[option] ?? address}: ${message}`);

/** Judges a file by its first bytes. */
export interface Recogniser {
  /** The number of bytes at the start of a file that are needed to judge the file. */
  readonly headLength: number;
  /**
   * Returns a sentence about why the service would refuse a file that begins with these bytes; null if the service may
   * accept the file.
   */
  refuse(head: Uint8Array): Promise<string | null>;
}

const WRONG = `The file ${WRONG_TYPE}`;

/** Creates a recogniser that judges files as the service does, so that files that it would refuse aren't sent. */
export function composeRecogniser(): Recogniser {
  const inspector = createMediaInspector({ pixelsDecode: createPixelCheck({ command: decodeCommand() }) });
  return {
    headLength: inspector.headLength,
    async refuse(head) {
      const found = await inspector.recognise(head);
      if (found === null) return WRONG;
      // The service may accept a file of a convertible type: it converts such files, unless its settings disable that.
      if (typeof found === 'string' || convertibleType(found) !== null) return null;
      return defectSentence(found, 'The file', WRONG);
    },
  };
}
