import { isatty } from 'node:tty';
import * as v from 'valibot';
import { httpUrl, type Read, text, withoutTrailingSlash } from './setting-kinds.ts';

const LOG_FORMATS = ['pretty', 'json', 'journald'] as const;
const LOG_LEVELS = ['trace', 'debug', 'info', 'warn', 'error', 'silent'] as const;

export interface TelemetryConfig {
  readonly logLevel: (typeof LOG_LEVELS)[number];
  readonly logFormat: LogFormat;
  /** The configured bearer token for `/metrics`; null if a token is created, or clients on this machine need none. */
  readonly metricsToken: string | null;
  /** null if there are no traces. */
  readonly tracing: TracingConfig | null;
}

export type LogFormat = (typeof LOG_FORMATS)[number];

export interface TracingConfig {
  /** The root of an OTLP/HTTP receiver, without a trailing slash; `/v1/traces` is appended to it. */
  readonly endpoint: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly serviceName: string;
  readonly ratio: number;
}

const isRatio = (value: string): boolean => /^(?:0(?:\.\d+)?|1(?:\.0+)?)$/.test(value);

const headersOf = (value: string): string[] =>
  value
    .split(',')
    .map((item) => item.trim())
    .filter((item) => item !== '');

/**
 * Whether an item has the form `name=value`, with the value percent-encoded as in W3C Baggage (OpenTelemetry, "OTLP
 * exporter configuration").
 */
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

export const telemetrySettings = {
  LOG_LEVEL: v.optional(v.picklist(LOG_LEVELS, `must be one of ${LOG_LEVELS.join(', ')}`), 'info'),
  LOG_FORMAT: v.optional(v.picklist(LOG_FORMATS, `must be one of ${LOG_FORMATS.join(', ')}`)),
  METRICS_TOKEN: v.optional(
    text('must be 16 or more visible characters of ASCII', (token) => /^[\x21-\x7e]{16,}$/.test(token)),
  ),
  OTEL_EXPORTER_OTLP_ENDPOINT: v.optional(httpUrl),
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

export function readTelemetry(read: Read<typeof telemetrySettings>): TelemetryConfig {
  const endpoint = read.OTEL_EXPORTER_OTLP_ENDPOINT;
  const tracing = endpoint !== undefined && {
    endpoint: withoutTrailingSlash(endpoint),
    headers: read.OTEL_EXPORTER_OTLP_HEADERS,
    serviceName: read.OTEL_SERVICE_NAME,
    ratio: read.OTEL_TRACES_SAMPLER_ARG,
  };
  return {
    logLevel: read.LOG_LEVEL,
    logFormat: asLogFormat(read.LOG_FORMAT),
    metricsToken: read.METRICS_TOKEN ?? null,
    tracing: tracing || null,
  };
}

/** Returns the configured format. The default is `pretty` if standard output is a terminal, otherwise `json`. */
export function asLogFormat(given: string | undefined): LogFormat {
  // `process.stdout.isTTY` would make standard output non-blocking, even for other programs that share it.
  return LOG_FORMATS.find((format) => format === given) ?? (isatty(1) ? 'pretty' : 'json');
}
