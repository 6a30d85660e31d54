import * as v from 'valibot';
import { flag, isHttpUrl, text, wholeNumber } from './setting-kinds.ts';

const MIB = 1024 * 1024;
const DAY = 24 * 60 * 60 * 1000;

/** How the service is run: limits, stopping, figures, traces. A part of `Config`. */
export interface Operating {
  /** Whether a proxy in front writes `X-Forwarded-For` and `X-Request-Id`. */
  readonly trustProxy: boolean;
  /** Operations a minute that one token may ask of this process; 0 for any number. */
  readonly rateLimit: number;
  /** Requests at once that receive files. */
  readonly uploadConcurrency: number;
  /** Bytes of the disk under `dataDir` that media leave free. */
  readonly minFreeDisk: number;
  /** Milliseconds that objects without an item lie in the trash before garbage collection removes them. */
  readonly trashAge: number;
  /** Percent of all objects that garbage collection sets aside at once without being told to. */
  readonly maxOrphansPercent: number;
  /** Objects a second that the look through all of them takes; 0: there is none. */
  readonly checkObjectsPerSecond: number;
  /** Milliseconds that `/ready` answers 503 before the server takes no more requests. */
  readonly shutdownDelay: number;
  /** Milliseconds that running work then has to end. */
  readonly shutdownTimeout: number;
  /** What `/metrics` wants as a bearer token; null: it is open. */
  readonly metricsToken: string | null;
  /** Where a worker answers `/health`, `/ready` and `/metrics`; null: nowhere. */
  readonly workerPort: number | null;
  /** null: no traces. */
  readonly tracing: TracingConfig | null;
}

export interface TracingConfig {
  /** Root of an OTLP/HTTP receiver, without a trailing slash; `/v1/traces` follows. */
  readonly endpoint: string;
  /** Sent with each export. */
  readonly headers: Readonly<Record<string, string>>;
  readonly serviceName: string;
  /** Share of the traces that begin here which are kept, from 0 to 1. */
  readonly ratio: number;
}

const isRatio = (value: string): boolean => /^(?:0(?:\.\d+)?|1(?:\.0+)?)$/.test(value);

const headersOf = (value: string): string[] =>
  value
    .split(',')
    .map((item) => item.trim())
    .filter((item) => item !== '');

/** `name=value`, the value percent-encoded as W3C Baggage has it (OpenTelemetry, "OTLP exporter configuration"). */
const isHeader = (item: string): boolean => /^[\w!#$%&'*+.^`|~-]+=[\x20-\x7e]*$/.test(item) && decoded(item) !== null;

function decoded(text: string): string | null {
  try {
    return decodeURIComponent(text);
  } catch {
    return null;
  }
}

const readHeader = (item: string): readonly [string, string] => {
  const at = item.indexOf('=');
  return [item.slice(0, at), decoded(item.slice(at + 1)) ?? ''];
};

export const operatingSettings = {
  TRUST_PROXY: flag('false'),
  RATE_LIMIT_PER_MINUTE: v.optional(wholeNumber(0, 1_000_000), '0'),
  UPLOAD_CONCURRENCY: v.optional(wholeNumber(1, 1000), '10'),
  MIN_FREE_DISK_MB: v.optional(wholeNumber(0, 1_000_000_000), '1024'),
  TRASH_DAYS: v.optional(wholeNumber(0, 3650), '7'),
  GC_MAX_ORPHANS_PERCENT: v.optional(wholeNumber(0, 100), '10'),
  CHECK_OBJECTS_PER_SECOND: v.optional(wholeNumber(0, 1000), '10'),
  SHUTDOWN_DELAY_MS: v.optional(wholeNumber(0, 300_000), '0'),
  SHUTDOWN_TIMEOUT_MS: v.optional(wholeNumber(0, 3_600_000), '30000'),
  METRICS_TOKEN: v.optional(
    text('must be 16 or more visible characters of ASCII', (token) => /^[\x21-\x7e]{16,}$/.test(token)),
  ),
  WORKER_PORT: v.optional(wholeNumber(1, 65_535)),
  OTEL_EXPORTER_OTLP_ENDPOINT: v.optional(text('must be an http or https URL without query or credentials', isHttpUrl)),
  OTEL_EXPORTER_OTLP_HEADERS: v.optional(
    v.pipe(
      text('must be headers such as x-api-key=…,x-tenant=…', (value) => headersOf(value).every(isHeader)),
      v.transform((value) => Object.fromEntries(headersOf(value).map(readHeader))),
    ),
    '',
  ),
  OTEL_SERVICE_NAME: v.optional(v.string(), 'postshelf'),
  OTEL_TRACES_SAMPLER_ARG: v.optional(v.pipe(text('must be a number from 0 to 1', isRatio), v.transform(Number)), '1'),
};

const schema = v.object(operatingSettings);

/** What was read of {@link operatingSettings}, as the program knows it. */
export function readOperating(read: v.InferOutput<typeof schema>): Operating {
  const endpoint = read.OTEL_EXPORTER_OTLP_ENDPOINT?.replace(/\/+$/, '');
  return {
    trustProxy: read.TRUST_PROXY,
    rateLimit: read.RATE_LIMIT_PER_MINUTE,
    uploadConcurrency: read.UPLOAD_CONCURRENCY,
    minFreeDisk: read.MIN_FREE_DISK_MB * MIB,
    trashAge: read.TRASH_DAYS * DAY,
    maxOrphansPercent: read.GC_MAX_ORPHANS_PERCENT,
    checkObjectsPerSecond: read.CHECK_OBJECTS_PER_SECOND,
    shutdownDelay: read.SHUTDOWN_DELAY_MS,
    shutdownTimeout: read.SHUTDOWN_TIMEOUT_MS,
    metricsToken: read.METRICS_TOKEN ?? null,
    workerPort: read.WORKER_PORT ?? null,
    tracing:
      endpoint === undefined
        ? null
        : {
            endpoint,
            headers: read.OTEL_EXPORTER_OTLP_HEADERS,
            serviceName: read.OTEL_SERVICE_NAME,
            ratio: read.OTEL_TRACES_SAMPLER_ARG,
          },
  };
}
