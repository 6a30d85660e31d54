import { join, resolve } from 'node:path';
import * as v from 'valibot';
import { ConfigError, isPlainPath, NOT_PLAIN, type Read, text, wholeNumber } from './setting-kinds.ts';

export type DatabaseConfig =
  | { readonly kind: 'sqlite'; readonly file: string }
  | {
      readonly kind: 'postgres';
      /** The URL, including the password. */
      readonly url: string;
      readonly poolSize: number;
      readonly statementTimeout: number;
    };

const isPostgresUrl = (value: string): boolean => {
  const url = URL.parse(value);
  const isPostgres = url !== null && /^postgres(?:ql)?:$/.test(url.protocol);
  return isPostgres && isPercentEncoded(value) && !isPasswordSplit(value);
};

/**
 * Whether a URL's password contains a `/`, `?` or `#` that isn't encoded, so that the host ends there. Such a URL can be
 * parsed if the password begins with that character or with digits, which pass for a port
 * (`postgres://user:12/secret@host/database`). The rest of the password would count as the name of the database, which
 * messages contain. An `@` in the value of a parameter, such as `?user=name@server`, is allowed.
 */
const isPasswordSplit = (url: string): boolean => {
  const [, beforeAt = ''] = /^[^:]+:\/\/([^@]*)@/.exec(url) ?? [];
  const isAfterHost = /[/?#]/.test(beforeAt);
  const isInParameter = /\?.*=/s.test(beforeAt);
  return isAfterHost && !isInParameter;
};

const isPercentEncoded = (value: string): boolean => {
  try {
    return decodeURIComponent(value) !== '';
  } catch {
    return false;
  }
};

const SQLITE = 'sqlite:';

/** Matches a URL with several hosts, which PostgreSQL's own programs accept. */
const SEVERAL_HOSTS = /^postgres(?:ql)?:\/\/(?:[^/?#]*@)?[^/?#@]*,/;

const databaseUrl = v.pipe(
  text(
    'must have one host, which leads to the primary server also after a failover, such as a virtual IP address or HAProxy',
    (url) => !SEVERAL_HOSTS.test(url),
  ),
  text(
    'must be sqlite:, sqlite:/path/to/file.db or postgres:// with user, password, host and database (percent-encoded)',
    (url) => url.startsWith(SQLITE) || isPostgresUrl(url),
  ),
  v.check((url) => !url.startsWith(SQLITE) || isPlainPath(url.slice(SQLITE.length)), NOT_PLAIN),
);

export const databaseSettings = {
  DATABASE_URL: v.optional(databaseUrl, SQLITE),
  DATABASE_POOL_SIZE: v.optional(wholeNumber(1, 1000), '10'),
  DATABASE_STATEMENT_TIMEOUT_MS: v.optional(wholeNumber(100, 3_600_000), '10000'),
};

export function readDatabase(dataDir: string, read: Read<typeof databaseSettings>): DatabaseConfig {
  const { DATABASE_URL: url, DATABASE_POOL_SIZE: poolSize, DATABASE_STATEMENT_TIMEOUT_MS: statementTimeout } = read;
  if (!url.startsWith(SQLITE)) return { kind: 'postgres', url, poolSize, statementTimeout };
  const path = url.slice(SQLITE.length);
  return { kind: 'sqlite', file: path === '' ? join(dataDir, 'postshelf.db') : resolve(path) };
}

/** The settings for copying a database: few connections, and enough time to count the rows of a large table. */
const COPYING = { DATABASE_POOL_SIZE: 4, DATABASE_STATEMENT_TIMEOUT_MS: 15 * 60_000 };

/**
 * Reads a database URL from the command line. It has the same form as `DATABASE_URL`.
 *
 * @param option the name of the option, which the error contains
 * @throws ConfigError if the URL isn't valid
 */
export function readCopyUrl({ dataDir }: { readonly dataDir: string }, option: string, url: string): DatabaseConfig {
  const read = v.safeParse(databaseUrl, url);
  if (!read.success) throw new ConfigError(`${option}: ${read.issues[0].message}`);
  return readDatabase(dataDir, { DATABASE_URL: url, ...COPYING });
}
