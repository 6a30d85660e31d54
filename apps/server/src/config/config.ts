import { isIP } from 'node:net';
import { join, resolve } from 'node:path';
import { isatty } from 'node:tty';
import * as v from 'valibot';
import { differingSettings, mistakenSettings } from '../telemetry/setting-report.ts';
import { type Operating, operatingSettings, readOperating } from './operating.ts';
import { flag, isHttpUrl, list, text, wholeNumber } from './setting-kinds.ts';

/** What an operator can set; the only place that reads the environment. */
export interface Config extends Operating {
  readonly host: string;
  readonly port: number;
  /** The service's root as clients reach it, without a trailing slash. */
  readonly publicUrl: string;
  readonly dataDir: string;
  readonly database: DatabaseConfig;
  /** null: media are kept in {@link dataDir}. */
  readonly s3: S3Config | null;
  /** Origins whose pages may call the service; `*` for all. */
  readonly corsOrigins: readonly string[];
  /** null: made once and kept in {@link dataDir}. */
  readonly jwtSecret: string | null;
  /** null: looked for on the PATH. */
  readonly ffmpegPath: string | null;
  readonly logLevel: (typeof LOG_LEVELS)[number];
  readonly logFormat: (typeof LOG_FORMATS)[number];
  /** CIDRs that imports may reach although they aren't public. */
  readonly importAllowedNetworks: readonly string[];
  /** Milliseconds before the second try of an import, the third, and so on. */
  readonly importRetryDelays: readonly number[];
  /** Imports at once in this process, and of one workspace in all processes. */
  readonly importConcurrency: number;
  readonly importConcurrencyPerWorkspace: number;
  /** Milliseconds without a byte of a body. */
  readonly uploadIdleTimeout: number;
  /** Bytes a second. */
  readonly uploadMinimumRate: number;
}

export type DatabaseConfig =
  | { readonly kind: 'sqlite'; readonly file: string }
  | {
      readonly kind: 'postgres';
      /** With the password. */
      readonly url: string;
      readonly poolSize: number;
      /** Milliseconds. */
      readonly statementTimeout: number;
    };

export interface S3Config {
  /** null: AWS. */
  readonly endpoint: string | null;
  /** The store as clients reach it, for signed addresses; null: as {@link endpoint}. */
  readonly clientEndpoint: string | null;
  readonly region: string;
  readonly bucket: string;
  /** null: the AWS SDK looks for them where it always does. */
  readonly credentials: { readonly accessKeyId: string; readonly secretAccessKey: string } | null;
  /** Where the bucket is public, without a trailing slash; null: links stay on this service. */
  readonly publicUrl: string | null;
  readonly forcePathStyle: boolean;
  /** Whether `/files` sends readers to the bucket, rather than stream. */
  readonly redirect: boolean;
}

/** What stops the start. Its message is one line that names the setting, or says what stands in the way. */
export class ConfigError extends Error {
  override readonly name = 'ConfigError';
}

const LOG_FORMATS = ['pretty', 'json', 'journald'] as const;
const LOG_LEVELS = ['trace', 'debug', 'info', 'warn', 'error', 'silent'] as const;

const isNetwork = (value: string): boolean => {
  const [address = '', prefix = '', ...more] = value.split('/');
  const bits = { 4: 32, 6: 128 }[isIP(address)];
  const isCount = /^(?:0|[1-9]\d{0,2})$/.test(prefix) && Number(prefix) <= (bits ?? -1);
  if (!isCount || address.includes('%') || more.length > 0) return false;
  return !isMapped(address) || Number(prefix) >= 96;
};

/** An IPv4 address in the clothes of IPv6, whose first 96 bits say no more than that (RFC 4291 section 2.5.5.2). */
const isMapped = (address: string): boolean =>
  /^\[::ffff:[\da-f]+:[\da-f]+\]$/.test(URL.parse(`http://[${address}]/`)?.hostname ?? '');

const isOrigin = (value: string): boolean => value === '*' || URL.parse(value)?.origin === value;

const isPostgresUrl = (value: string): boolean => {
  const url = URL.parse(value);
  return url !== null && /^postgres(?:ql)?:$/.test(url.protocol) && isPercentEncoded(value);
};

const isPercentEncoded = (value: string): boolean => {
  try {
    return decodeURIComponent(value) !== '';
  } catch {
    return false;
  }
};

const databaseUrl = text(
  'must be sqlite:, sqlite:/path/to/file.db or postgres://user:password@host:port/database (percent-encoded)',
  (url) => url.startsWith('sqlite:') || isPostgresUrl(url),
);

const settings = v.object({
  HOST: v.optional(
    text('must be a host name or an IP address', (value) => !/[\s/]/.test(value)),
    '127.0.0.1',
  ),
  PORT: v.optional(wholeNumber(1, 65_535), '3000'),
  PUBLIC_URL: v.optional(text('must be an http or https URL without query or credentials', isHttpUrl)),
  DATA_DIR: v.optional(v.string(), './data'),
  DATABASE_URL: v.optional(databaseUrl, 'sqlite:'),
  DATABASE_POOL_SIZE: v.optional(wholeNumber(1, 1000), '10'),
  DATABASE_STATEMENT_TIMEOUT_MS: v.optional(wholeNumber(100, 3_600_000), '10000'),
  S3_BUCKET: v.optional(text('must be the name of a bucket', (name) => /^[a-z0-9][\w.-]{1,62}$/i.test(name))),
  S3_ENDPOINT: v.optional(text('must be an http or https URL without query or credentials', isHttpUrl)),
  S3_CLIENT_ENDPOINT: v.optional(text('must be an http or https URL without query or credentials', isHttpUrl)),
  S3_REGION: v.optional(v.string(), 'us-east-1'),
  S3_ACCESS_KEY_ID: v.optional(v.string()),
  S3_SECRET_ACCESS_KEY: v.optional(v.string()),
  S3_PUBLIC_URL: v.optional(text('must be an http or https URL without query or credentials', isHttpUrl)),
  S3_FORCE_PATH_STYLE: flag('false'),
  S3_REDIRECT: flag('true'),
  CORS_ORIGINS: v.optional(
    v.pipe(
      text('must be * or origins such as https://app.example.com', (value) => list(value).every(isOrigin)),
      v.transform(list),
    ),
    '',
  ),
  JWT_SECRET: v.optional(text('must have at least 32 characters', (secret) => secret.length >= 32)),
  FFMPEG_PATH: v.optional(v.string()),
  IMPORT_ALLOWED_NETWORKS: v.optional(
    v.pipe(
      text('must be networks such as 10.0.0.0/8,fd00::/8', (value) => list(value).every(isNetwork)),
      v.transform(list),
    ),
    '',
  ),
  IMPORT_RETRY_DELAYS: v.optional(
    v.pipe(
      text('must be milliseconds such as 5000,30000', (value) => list(value).every((item) => /^\d{1,8}$/.test(item))),
      v.transform((value) => list(value).map(Number)),
    ),
    '5000,30000',
  ),
  IMPORT_CONCURRENCY: v.optional(wholeNumber(1, 100), '10'),
  IMPORT_CONCURRENCY_PER_WORKSPACE: v.optional(wholeNumber(1, 100), '5'),
  LOG_LEVEL: v.optional(v.picklist(LOG_LEVELS, `must be one of ${LOG_LEVELS.join(', ')}`), 'info'),
  LOG_FORMAT: v.optional(v.picklist(LOG_FORMATS, `must be one of ${LOG_FORMATS.join(', ')}`)),
  UPLOAD_IDLE_TIMEOUT_MS: v.optional(wholeNumber(100, 240_000), '30000'),
  UPLOAD_MIN_BYTES_PER_SECOND: v.optional(wholeNumber(0, 1_000_000_000), '1024'),
  ...operatingSettings,
});

/**
 * Reads the settings from an environment.
 *
 * @throws ConfigError naming the first setting that is wrong
 */
export function readConfig(environment: Readonly<Record<string, string | undefined>> = process.env): Config {
  const empty = NAMES.find((name) => environment[name] === '');
  if (empty !== undefined) throw new ConfigError(`${empty}: is empty; give it a value or leave it out`);
  const given = Object.fromEntries(Object.entries(environment).filter(([, value]) => value !== undefined));
  const read = v.safeParse(settings, given);
  if (!read.success) {
    const [issue] = read.issues;
    throw new ConfigError(`${issue.path?.[0]?.key}: ${issue.message}`);
  }
  const { HOST: host, PORT: port, DATA_DIR, ...rest } = read.output;
  const dataDir = resolve(DATA_DIR);
  return {
    host,
    port,
    dataDir,
    publicUrl: (rest.PUBLIC_URL ?? ownUrl(host, port)).replace(/\/+$/, ''),
    database: databaseAt(dataDir, rest.DATABASE_URL, rest),
    s3: rest.S3_BUCKET === undefined ? null : readS3(rest.S3_BUCKET, rest),
    corsOrigins: rest.CORS_ORIGINS,
    jwtSecret: rest.JWT_SECRET ?? null,
    ffmpegPath: rest.FFMPEG_PATH ?? null,
    logLevel: rest.LOG_LEVEL,
    logFormat: readLogFormat(environment),
    importAllowedNetworks: rest.IMPORT_ALLOWED_NETWORKS,
    importRetryDelays: rest.IMPORT_RETRY_DELAYS,
    importConcurrency: rest.IMPORT_CONCURRENCY,
    importConcurrencyPerWorkspace: rest.IMPORT_CONCURRENCY_PER_WORKSPACE,
    uploadIdleTimeout: rest.UPLOAD_IDLE_TIMEOUT_MS,
    uploadMinimumRate: rest.UPLOAD_MIN_BYTES_PER_SECOND,
    ...readOperating(rest),
  };
}

const NAMES = Object.keys(settings.entries);

/** What an operator should know of the settings at a start: those that aren't the defaults, and what may be a slip. */
export const describeSettings = (environment: Readonly<Record<string, string | undefined>> = process.env) => ({
  differing: differingSettings(environment, v.getDefaults(settings)),
  mistaken: mistakenSettings(environment, NAMES),
});

/** How the log is written; known before the other settings are, as one that is wrong is told so too. */
export function readLogFormat({ LOG_FORMAT }: Readonly<Record<string, string | undefined>> = process.env) {
  // Asking the stream would make standard output non-blocking, also for others who have it.
  return LOG_FORMATS.find((format) => format === LOG_FORMAT) ?? (isatty(1) ? 'pretty' : 'json');
}

/** The same with some settings given otherwise than by the environment: on the command line. */
export const readConfigWith = (given: Readonly<Record<string, string>>): Config =>
  readConfig({ ...process.env, ...given });

type Rest = Omit<v.InferOutput<typeof settings>, 'HOST' | 'PORT' | 'DATA_DIR'>;

type Limits = Pick<Rest, 'DATABASE_POOL_SIZE' | 'DATABASE_STATEMENT_TIMEOUT_MS'>;

function databaseAt(dataDir: string, url: string, limits: Limits): DatabaseConfig {
  const { DATABASE_POOL_SIZE: poolSize, DATABASE_STATEMENT_TIMEOUT_MS: statementTimeout } = limits;
  if (!url.startsWith('sqlite:')) return { kind: 'postgres', url, poolSize, statementTimeout };
  const path = url.slice('sqlite:'.length);
  return { kind: 'sqlite', file: path === '' ? join(dataDir, 'postshelf.db') : resolve(path) };
}

/** What a copy asks of a server: few connections, and time to count the rows of a large table. */
const COPYING: Limits = { DATABASE_POOL_SIZE: 4, DATABASE_STATEMENT_TIMEOUT_MS: 15 * 60_000 };

/**
 * A database to copy from or to, named on the command line as `DATABASE_URL` would be.
 *
 * @param option what it was given by, for the error
 * @throws ConfigError when it is no such URL
 */
export function readCopyUrl({ dataDir }: Pick<Config, 'dataDir'>, option: string, url: string): DatabaseConfig {
  const read = v.safeParse(databaseUrl, url);
  if (!read.success) throw new ConfigError(`${option}: ${read.issues[0].message}`);
  return databaseAt(dataDir, url, COPYING);
}

/** @throws ConfigError when one of the two keys is missing */
function readS3(bucket: string, given: Rest): S3Config {
  const { S3_ACCESS_KEY_ID: accessKeyId, S3_SECRET_ACCESS_KEY: secretAccessKey } = given;
  if (accessKeyId && !secretAccessKey)
    throw new ConfigError('S3_SECRET_ACCESS_KEY: is missing beside S3_ACCESS_KEY_ID');
  if (!accessKeyId && secretAccessKey)
    throw new ConfigError('S3_ACCESS_KEY_ID: is missing beside S3_SECRET_ACCESS_KEY');
  return {
    bucket,
    endpoint: given.S3_ENDPOINT ?? null,
    clientEndpoint: given.S3_CLIENT_ENDPOINT ?? null,
    region: given.S3_REGION,
    credentials: accessKeyId && secretAccessKey ? { accessKeyId, secretAccessKey } : null,
    publicUrl: given.S3_PUBLIC_URL?.replace(/\/+$/, '') ?? null,
    forcePathStyle: given.S3_FORCE_PATH_STYLE,
    redirect: given.S3_REDIRECT,
  };
}

/** How a browser on this machine reaches what listens on the host. */
function ownUrl(host: string, port: number): string {
  const name = host === '0.0.0.0' || host === '::' ? 'localhost' : host;
  return `http://${isIP(name) === 6 ? `[${name}]` : name}:${port}`;
}
