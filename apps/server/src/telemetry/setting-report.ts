import { distance } from 'fastest-levenshtein';
import { type Config, type GivenSettings, givenSettings } from '../config/config.ts';
import { redact } from './log/redact.ts';

type Environment = GivenSettings['environment'];

/** Returns the settings that differ from their defaults, possible typos, and settings without effect. */
export const describeSettings = ({ environment, defaults } = givenSettings()) => ({
  differing: differingSettings(environment, defaults),
  mistaken: mistakenSettings(environment, Object.keys(defaults)),
  idle: idleSettings(environment, Object.keys(defaults)),
});

/** Addresses that mean all interfaces, which clients can't connect to. */
const EVERYWHERE: readonly string[] = ['0.0.0.0', '::'];

/** Returns null if links point to where clients can reach the service, as far as the settings show. */
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
 * Returns the settings that differ. Secrets are only reported as set, URLs without credentials and query.
 *
 * @param defaults of every setting, as written; undefined if it has none
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

/** Maximum letters that a typo may change: in a short name two changes may make another word. */
const SLIPS = { short: 1, long: 2 } as const;
const SHORT = 5;

/** Prefixes that are used by our settings only. */
const PREFIXES = ['S3_', 'DATABASE_', 'IMPORT_', 'UPLOAD_', 'SHUTDOWN_', 'METRICS_', 'RATE_', 'LOG_', 'MIN_FREE_'];

/**
 * Variables that look like mistyped settings: a letter or two away from one, or with one of our prefixes.
 *
 * @returns each with the setting that it is nearest to
 */
function mistakenSettings(environment: Environment, names: readonly string[]) {
  const mistaken: { readonly name: string; readonly nearest: string }[] = [];
  for (const name of Object.keys(environment).sort()) {
    const nearest = names.includes(name) ? undefined : nearestOf(name, names);
    if (nearest !== undefined) mistaken.push({ name, nearest });
  }
  return mistaken;
}

/** Prefixes of other programs, and their replacements here. The tests' own variables aren't settings. */
const FOREIGN = [
  [/^POSTSHELF_(?!TEST_)/, ''],
  [/^(?:DB|PG|POSTGRES(?:QL)?)_(?=URL$)/, 'DATABASE_'],
] as const;

function nearestOf(name: string, names: readonly string[]): string | undefined {
  const ours = FOREIGN.reduce((text, [prefix, own]) => text.replace(prefix, own), name);
  return (names.includes(ours) ? ours : slipOf(ours, names)) ?? siblingOf(ours, names);
}

/** Settings of a bucket that are given without a bucket. */
const idleSettings = (environment: Environment, names: readonly string[]): readonly string[] =>
  environment.S3_BUCKET === undefined
    ? names.filter((name) => name.startsWith('S3_') && environment[name] !== undefined).sort()
    : [];

function slipOf(name: string, names: readonly string[]): string | undefined {
  const slips = (setting: string): number => distance(name.toUpperCase(), setting);
  const isSlip = (setting: string): boolean => slips(setting) <= (setting.length > SHORT ? SLIPS.long : SLIPS.short);
  return names.filter(isSlip).sort((one, other) => slips(one) - slips(other))[0];
}

/** Returns the setting with the longest prefix in common with a name that has one of our prefixes. */
function siblingOf(name: string, names: readonly string[]): string | undefined {
  if (!PREFIXES.some((prefix) => name.startsWith(prefix))) return undefined;
  return names.toSorted((one, other) => inCommon(other, name) - inCommon(one, name))[0];
}

function inCommon(one: string, other: string): number {
  let length = 0;
  while (length < one.length && one[length] === other[length]) length += 1;
  return length;
}
