import { isIP } from 'node:net';
import { DEFAULT_IMPORT_RETRY_DELAYS } from '@postshelf/domain';
import * as v from 'valibot';
import { listOf, type Read, wholeNumber } from './setting-kinds.ts';

export interface ImportConfig {
  /** CIDRs of networks that imports may reach even though they aren't public. */
  readonly importAllowedNetworks: readonly string[];
  /** Milliseconds before the second attempt of an import, before the third, and so on. */
  readonly importRetryDelays: readonly number[];
  /**
   * Maximum concurrent imports in this process; `importConcurrencyPerWorkspace` limits those of one workspace in all
   * processes.
   */
  readonly importConcurrency: number;
  readonly importConcurrencyPerWorkspace: number;
  /**
   * Milliseconds after which an import by URL is aborted if no byte arrives, or if the average rate over this period is
   * below {@link importMinimumRate}.
   */
  readonly importIdleTimeout: number;
  readonly importMinimumRate: number;
}

export const isNetwork = (value: string): boolean => {
  const [address = '', prefix = '', ...more] = value.split('/');
  const bits = { 4: 32, 6: 128 }[isIP(address)];
  const isCount = /^(?:0|[1-9]\d{0,2})$/.test(prefix) && Number(prefix) <= (bits ?? -1);
  if (!isCount || address.includes('%') || more.length > 0) return false;
  return !isMapped(address) || Number(prefix) >= 96;
};

/** Whether an address is an IPv4-mapped IPv6 address, whose first 96 bits are fixed (RFC 4291 section 2.5.5.2). */
const isMapped = (address: string): boolean =>
  /^\[::ffff:[\da-f]+:[\da-f]+\]$/.test(URL.parse(`http://[${address}]/`)?.hostname ?? '');

export const importSettings = {
  IMPORT_ALLOWED_NETWORKS: v.optional(listOf('must be networks such as 10.0.0.0/8,fd00::/8', isNetwork), ''),
  IMPORT_RETRY_DELAYS: v.optional(
    v.pipe(
      listOf('must be milliseconds such as 5000,30000', (item) => /^\d{1,8}$/.test(item)),
      v.transform((items) => items.map(Number)),
    ),
    DEFAULT_IMPORT_RETRY_DELAYS.join(),
  ),
  IMPORT_CONCURRENCY: v.optional(wholeNumber(1, 100), '10'),
  IMPORT_CONCURRENCY_PER_WORKSPACE: v.optional(wholeNumber(1, 100), '5'),
  IMPORT_IDLE_TIMEOUT_MS: v.optional(wholeNumber(100, 240_000), '30000'),
  IMPORT_MIN_BYTES_PER_SECOND: v.optional(wholeNumber(0, 1_000_000_000), '4096'),
};

export const readImports = (read: Read<typeof importSettings>): ImportConfig => ({
  importAllowedNetworks: read.IMPORT_ALLOWED_NETWORKS,
  importRetryDelays: read.IMPORT_RETRY_DELAYS,
  importConcurrency: read.IMPORT_CONCURRENCY,
  importConcurrencyPerWorkspace: read.IMPORT_CONCURRENCY_PER_WORKSPACE,
  importIdleTimeout: read.IMPORT_IDLE_TIMEOUT_MS,
  importMinimumRate: read.IMPORT_MIN_BYTES_PER_SECOND,
});
