import * as v from 'valibot';
import { type Environment, readSettings } from './read-settings.ts';
import { flag, httpUrl, region } from './setting-kinds.ts';
import { readCredentials, type S3Credentials } from './storage.ts';

/**
 * The object store from which files are imported. Its settings are separate from those of the service's own storage,
 * because the service may run on another machine.
 */
export interface SourceConfig {
  /** null for AWS. */
  readonly endpoint: string | null;
  readonly region: string;
  /** null to let the AWS SDK search for credentials in its usual places. */
  readonly credentials: S3Credentials | null;
  readonly forcePathStyle: boolean;
}

const settings = v.object({
  SOURCE_S3_ENDPOINT: v.optional(httpUrl),
  SOURCE_S3_REGION: v.optional(region, 'us-east-1'),
  SOURCE_S3_ACCESS_KEY_ID: v.optional(v.string()),
  SOURCE_S3_SECRET_ACCESS_KEY: v.optional(v.string()),
  SOURCE_S3_ACCESS_KEY_ID_FILE: v.optional(v.string()),
  SOURCE_S3_SECRET_ACCESS_KEY_FILE: v.optional(v.string()),
  SOURCE_S3_FORCE_PATH_STYLE: flag('false'),
});

/** Reads the settings of `postshelf import s3://…`. @throws ConfigError that names the first invalid setting */
export function readSource(environment: Environment = process.env): SourceConfig {
  const read = readSettings(settings, environment);
  return {
    endpoint: read.SOURCE_S3_ENDPOINT ?? null,
    region: read.SOURCE_S3_REGION,
    credentials: readCredentials('SOURCE_S3', read.SOURCE_S3_ACCESS_KEY_ID, read.SOURCE_S3_SECRET_ACCESS_KEY),
    forcePathStyle: read.SOURCE_S3_FORCE_PATH_STYLE,
  };
}
