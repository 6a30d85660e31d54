import { distance } from 'fastest-levenshtein';
import { type Config, type GivenSettings, givenSettings } from '../config/config.ts';
import { redact } from './log/redact.ts';

type Environment = GivenSettings['environment'];

/** Returns the settings that differ from their defaults, the possible typos, and the settings without effect. */
export const describeSettings = ({ environment, defaults } = givenSettings()) => ({
  differing: differingSettings(environment, defaults),
  mistaken: mistakenSettings(environment, Object.keys(defaults)),
  idle: idleSettings(environment, Object.keys(defaults)),
});

/** Addresses that mean all interfaces, to which clients can't connect. */
const EVERYWHERE: readonly string[] = ['0.0.0.0', '::'];

/**
 * Returns a warning if links point to an address that clients can't reach; null if the settings show no such problem.
 */
export const warnOfAddress = ({ host, ownOrigin, publicUrl }: Config): string | null =>
  ownOrigin === null && EVERYWHERE.includes(host)
    ? `HOST is ${host} and PUBLIC_URL is not set: links lead to ${publicUrl}, which other devices cannot open; set PUBLIC_URL to the address that they use`
    : null;

/** Settings whose values are never shown. */
const SECRETS: ReadonlySet<string> = new Set([
  'JWT_SECRET',
  'METRICS_TOKEN',
  'OIDC_CLIENT_SECRET',
  'OTEL_EXPORTER_OTLP_HEADERS',
  'S3_ACCESS_KEY_ID',
  'S3_SECRET_ACCESS_KEY',
]);

/**
 * Returns the settings that differ from their defaults. A secret is only reported as set, and a URL is shown without
 * credentials and query.
 *
 * @param defaults the unparsed default of every setting by name; undefined for a setting without a default
 */
function differingSettings(environment: Environment, defaults: GivenSettings['defaults']) {
  const differing: Record<string, string> = {};
  for (const [name, byDefault] of Object.entries(defaults)) {
    const value = environment[name];
    if (value === undefined || value === byDefault) continue;
    differing[name] = SECRETS.has(name) ? '[secret]' : redact(value);
  }
  return differing;
}

/**
 * Maximum number of letters in which a typo may differ from a setting. Two letters can turn a short name into another.
 */
const SLIPS = { short: 1, long: 2 } as const;
const SHORT = 5;

/** Prefixes that only our settings use. */
const PREFIXES = ['S3_', 'DATABASE_', 'IMPORT_', 'UPLOAD_', 'SHUTDOWN_', 'METRICS_', 'RATE_', 'LOG_', 'MIN_FREE_'];

/**
 * Finds environment variables that look like mistyped settings, because their names differ from a setting's name in one
 * or two letters, or begin with one of {@link PREFIXES}.
 *
 * @returns each variable with the setting to which it is nearest
 */
function mistakenSettings(environment: Environment, names: readonly string[]) {
  const mistaken: { readonly name: string; readonly nearest: string }[] = [];
  for (const name of Object.keys(environment).sort()) {
    const nearest = names.includes(name) ? undefined : nearestOf(name, names);
    if (nearest !== undefined) mistaken.push({ name, nearest });
  }
  return mistaken;
}

/**
 * Prefixes that users may add out of habit from other programs, each with the prefix that our settings have instead.
 * `POSTSHELF_TEST_` is excluded, because variables of the tests begin with it.
 */
const FOREIGN = [
  [/^POSTSHELF_(?!TEST_)/, ''],
  [/^(?:DB|PG|POSTGRES(?:QL)?)_(?=URL$)/, 'DATABASE_'],
] as const;

function nearestOf(name: string, names: readonly string[]): string | undefined {
  const ours = FOREIGN.reduce((text, [prefix, own]) => text.replace(prefix, own), name);
  return (names.includes(ours) ? ours : slipOf(ours, names)) ?? siblingOf(ours, names);
}

/** Returns the names of bucket settings that have no effect, because S3_BUCKET isn't set. */
const idleSettings = (environment: Environment, names: readonly string[]): readonly string[] =>
  environment.S3_BUCKET === undefined
    ? names.filter((name) => name.startsWith('S3_') && environment[name] !== undefined).sort()
    : [];

function slipOf(name: string, names: readonly string[]): string | undefined {
  const slips = (setting: string): number => distance(name.toUpperCase(), setting);
  const isSlip = (setting: string): boolean => slips(setting) <= (setting.length > SHORT ? SLIPS.long : SLIPS.short);
  return names.filter(isSlip).sort((one, other) => slips(one) - slips(other))[0];
}

/** Returns the setting that shares the longest prefix with a name; undefined if the name has none of our prefixes. */
function siblingOf(name: string, names: readonly string[]): string | undefined {
  if (!PREFIXES.some((prefix) => name.startsWith(prefix))) return undefined;
  return names.toSorted((one, other) => inCommon(other, name) - inCommon(one, name))[0];
}

function inCommon(one: string, other: string): number {
  let length = 0;
  while (length < one.length && one[length] === other[length]) length += 1;
  return length;
}
