import { isIP } from 'node:net';
import * as v from 'valibot';
import { flag, httpUrl, listOf, type Read, text, wholeNumber, withoutTrailingSlash } from './setting-kinds.ts';

export interface HttpConfig {
  readonly host: string;
  readonly port: number;
  /** The URL of the service's root for clients, without a trailing slash. */
  readonly publicUrl: string;
  /** The origin of PUBLIC_URL; null if that isn't set, so that the origin of each request's URL is used. */
  readonly ownOrigin: string | null;
  readonly web: boolean;
  /** A file that replaces the service's own robots.txt. */
  readonly robotsFile: string | null;
  /** The origins whose pages may call the service; `*` allows all origins. */
  readonly corsOrigins: readonly string[];
  /** Whether a proxy in front of the service writes `X-Forwarded-For` and `X-Request-Id`. */
  readonly trustProxy: boolean;
  /** Maximum operations per minute of a token in this process; 0 for no limit. */
  readonly rateLimit: number;
}

/** Turns `[::1]` into `::1`. */
const withoutBrackets = (host: string): string => host.replace(/^\[(.+)\]$/, '$1');

/**
 * Whether a value names a host. Numbers and values like `127.1` are refused, because URLs and resolvers take them for
 * addresses: `0` would mean all addresses of this machine.
 */
function isHost(value: string): boolean {
  const isName = /^[a-z\d_-]+(\.[a-z\d_-]+)*$/i.test(value);
  return isIP(withoutBrackets(value)) > 0 || (isName && URL.parse(`http://${value}`)?.hostname === value.toLowerCase());
}

/** Whether a value is `*` or an origin. An origin with a wildcard, which other programs allow, would match no page. */
const isOrigin = (value: string): boolean =>
  value === '*' || (!value.includes('*') && URL.parse(value)?.origin === value);

export const httpSettings = {
  HOST: v.optional(
    v.pipe(text('must be a host name or an IP address, without a port', isHost), v.transform(withoutBrackets)),
    '127.0.0.1',
  ),
  PORT: v.optional(wholeNumber(1, 65_535), '3000'),
  PUBLIC_URL: v.optional(httpUrl),
  WEB: flag('true'),
  ROBOTS_TXT: v.optional(v.string()),
  CORS_ORIGINS: v.optional(
    listOf('must be * or origins such as https://app.example.com, without wildcards', isOrigin),
    '',
  ),
  TRUST_PROXY: flag('false'),
  RATE_LIMIT_PER_MINUTE: v.optional(wholeNumber(0, 1_000_000), '0'),
};

export const readHttp = (read: Read<typeof httpSettings>): HttpConfig => ({
  host: read.HOST,
  port: read.PORT,
  publicUrl: withoutTrailingSlash(read.PUBLIC_URL ?? ownUrl(read.HOST, read.PORT)),
  ownOrigin: read.PUBLIC_URL === undefined ? null : new URL(read.PUBLIC_URL).origin,
  web: read.WEB,
  robotsFile: read.ROBOTS_TXT ?? null,
  corsOrigins: read.CORS_ORIGINS,
  trustProxy: read.TRUST_PROXY,
  rateLimit: read.RATE_LIMIT_PER_MINUTE,
});

/** The URL at which a browser on this machine reaches the service. */
function ownUrl(host: string, port: number): string {
  const name = host === '0.0.0.0' || host === '::' ? 'localhost' : host;
  return `http://${isIP(name) === 6 ? `[${name}]` : name}:${port}`;
}
