import { resolve } from 'node:path';
import * as v from 'valibot';
import { type DatabaseConfig, databaseSettings, readDatabase } from './database.ts';
import { type HttpConfig, httpSettings, readHttp } from './http.ts';
import { type ImportConfig, importSettings, readImports } from './imports.ts';
import { type OidcConfig, oidcSettings, readOidc } from './oidc.ts';
import { type Environment, readSettings } from './read-settings.ts';
import { ConfigError, flag, isPlainPath, NOT_PLAIN, type Read, text, wholeNumber } from './setting-kinds.ts';
import { readStorage, type StorageConfig, storageSettings } from './storage.ts';
import { asLogFormat, type LogFormat, readTelemetry, type TelemetryConfig, telemetrySettings } from './telemetry.ts';
import { readUploads, type UploadConfig, uploadSettings } from './uploads.ts';
import { readWebhooks, type WebhookConfig, webhookSettings } from './webhooks.ts';

export { type DatabaseConfig, readCopyUrl } from './database.ts';
export type { ProviderConfig } from './oidc.ts';
export { ConfigError } from './setting-kinds.ts';
export type { S3Config } from './storage.ts';
export type { TracingConfig } from './telemetry.ts';

export interface Config
  extends HttpConfig,
    UploadConfig,
    StorageConfig,
    ImportConfig,
    WebhookConfig,
    OidcConfig,
    TelemetryConfig,
    ProcessConfig {
  readonly dataDir: string;
  readonly database: DatabaseConfig;
  /** null to use the secret that the service creates once and stores in {@link dataDir}. */
  readonly jwtSecret: string | null;
  /** null to search for ffmpeg on the PATH. */
  readonly ffmpegPath: string | null;
  /** Whether workers make previews before they are requested. */
  readonly previewsAhead: boolean;
}

interface ProcessConfig {
  /** Milliseconds for which `/ready` answers 503 before the server stops accepting requests. */
  readonly shutdownDelay: number;
  /** Milliseconds that running work has to finish after {@link shutdownDelay}. */
  readonly shutdownTimeout: number;
  /** The port on which a worker answers `/health`, `/ready` and `/metrics`; null for none. */
  readonly workerPort: number | null;
}

const processSettings = {
  SHUTDOWN_DELAY_MS: v.optional(wholeNumber(0, 300_000), '0'),
  SHUTDOWN_TIMEOUT_MS: v.optional(wholeNumber(0, 3_600_000), '30000'),
  WORKER_PORT: v.optional(wholeNumber(1, 65_535)),
};

const readProcess = (read: Read<typeof processSettings>): ProcessConfig => ({
  shutdownDelay: read.SHUTDOWN_DELAY_MS,
  shutdownTimeout: read.SHUTDOWN_TIMEOUT_MS,
  workerPort: read.WORKER_PORT ?? null,
});

/** Settings that name a file containing the value of another setting. Docker and Kubernetes mount secrets as files. */
const secretFiles = {
  DATABASE_URL_FILE: v.optional(v.string()),
  S3_ACCESS_KEY_ID_FILE: v.optional(v.string()),
  S3_SECRET_ACCESS_KEY_FILE: v.optional(v.string()),
  JWT_SECRET_FILE: v.optional(v.string()),
  METRICS_TOKEN_FILE: v.optional(v.string()),
  OIDC_CLIENT_SECRET_FILE: v.optional(v.string()),
};

const settings = v.object({
  ...httpSettings,
  ...uploadSettings,
  DATA_DIR: v.optional(text(NOT_PLAIN, isPlainPath), './data'),
  ...databaseSettings,
  ...storageSettings,
  JWT_SECRET: v.optional(text('must have at least 32 characters', (secret) => secret.length >= 32)),
  FFMPEG_PATH: v.optional(v.string()),
  PREVIEWS_AHEAD: flag('true'),
  ...importSettings,
  ...webhookSettings,
  ...oidcSettings,
  ...telemetrySettings,
  ...processSettings,
  ...secretFiles,
});

/**
 * Reads the settings from an environment.
 *
 * @throws ConfigError that names the first invalid setting
 */
export function readConfig(environment: Environment = process.env): Config {
  const read = readSettings(settings, environment);
  const dataDir = resolve(read.DATA_DIR);
  return {
    dataDir,
    database: readDatabase(dataDir, read),
    jwtSecret: read.JWT_SECRET ?? null,
    ffmpegPath: read.FFMPEG_PATH ?? null,
    previewsAhead: read.PREVIEWS_AHEAD,
    ...readHttp(read),
    ...readUploads(read),
    ...readStorage(read),
    ...readImports(read),
    ...readWebhooks(read),
    ...readOidc(read, readHttp(read)),
    ...readTelemetry(read),
    ...readProcess(read),
  };
}

/** Reads the settings for `doctor`: the values of the valid ones, and an error for each invalid one. */
export function readValidConfig(environment: Environment = process.env) {
  const errors: string[] = [];
  let given = environment;
  for (;;) {
    try {
      return { config: readConfig(given), errors };
    } catch (error) {
      if (!(error instanceof ConfigError)) throw error;
      errors.push(error.message);
      const name = error.message.split(':', 1)[0] ?? '';
      // If a required setting of a group is missing, all other settings of the group count as invalid.
      const group = name.startsWith('S3_') ? 'S3_' : 'OIDC_';
      const own = [name, `${name}_FILE`].filter((key) => given[key] !== undefined);
      const isInvalid = (key: string) => (own.length === 0 ? key.startsWith(group) : own.includes(key));
      given = Object.fromEntries(Object.entries(given).filter(([key]) => !isInvalid(key)));
    }
  }
}

/** Reads the settings like {@link readConfig}, but replaces some of them with values from the command line. */
export const readConfigWith = (given: Readonly<Record<string, string>>): Config =>
  readConfig({ ...process.env, ...given });

/** Reads only the log format, which is needed to log errors about other settings. */
export const readLogFormat = (): LogFormat => asLogFormat(process.env.LOG_FORMAT);

/** The environment, and the unparsed default of every setting by name; undefined for a setting without a default. */
export interface GivenSettings {
  readonly environment: Environment;
  readonly defaults: Readonly<Record<string, unknown>>;
}

export const givenSettings = (environment: Environment = process.env): GivenSettings => ({
  environment,
  defaults: v.getDefaults(settings),
});
