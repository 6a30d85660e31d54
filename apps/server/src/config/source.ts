import * as v from 'valibot';
import { type Environment, readSecretFile } from './secret-files.ts';
import { ConfigError, flag, httpUrl } from './setting-kinds.ts';

/**
 * The object store from which files are imported. Its settings are separate from those of the service's own storage,
 * because the service may run on another machine.
 */
export interface SourceConfig {
  /** null for AWS. */
  readonly endpoint: string | null;
  readonly region: string;
  /** null to let the AWS SDK search for credentials in its usual places. */
  readonly credentials: { readonly accessKeyId: string; readonly secretAccessKey: string } | null;
  readonly forcePathStyle: boolean;
}

const settings = v.object({
  SOURCE_S3_ENDPOINT: v.optional(httpUrl),
  SOURCE_S3_REGION: v.optional(v.string(), 'us-east-1'),
  SOURCE_S3_ACCESS_KEY_ID: v.optional(v.string()),
  SOURCE_S3_SECRET_ACCESS_KEY: v.optional(v.string()),
  SOURCE_S3_FORCE_PATH_STYLE: flag('false'),
});

const SECRET_FILES = ['SOURCE_S3_ACCESS_KEY_ID_FILE', 'SOURCE_S3_SECRET_ACCESS_KEY_FILE'] as const;

/** Reads the settings of `postshelf import s3://…`. @throws ConfigError that names the first invalid setting */
export function readSource(environment: Environment = process.env): SourceConfig {
  const given = { ...environment };
  for (const name of SECRET_FILES) Object.assign(given, readSecretFile(name, environment));
  const { success, output: read, issues } = v.safeParse(settings, given);
  if (!success) throw new ConfigError(`${issues[0].path?.[0]?.key}: ${issues[0].message}`);
  const { SOURCE_S3_ACCESS_KEY_ID: accessKeyId, SOURCE_S3_SECRET_ACCESS_KEY: secretAccessKey } = read;
  if (accessKeyId && !secretAccessKey)
    throw new ConfigError('SOURCE_S3_SECRET_ACCESS_KEY: is missing; it is required with SOURCE_S3_ACCESS_KEY_ID');
  if (!accessKeyId && secretAccessKey)
    throw new ConfigError('SOURCE_S3_ACCESS_KEY_ID: is missing; it is required with SOURCE_S3_SECRET_ACCESS_KEY');
  return {
    endpoint: read.SOURCE_S3_ENDPOINT ?? null,
    region: read.SOURCE_S3_REGION,
    credentials: accessKeyId && secretAccessKey ? { accessKeyId, secretAccessKey } : null,
    forcePathStyle: read.SOURCE_S3_FORCE_PATH_STYLE,
  };
}
