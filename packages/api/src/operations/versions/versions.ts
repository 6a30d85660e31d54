import { createHash } from 'node:crypto';
import { type ExpectedVersions, FIRST_VERSION, type MediaWithCover, Refusal, versionOfMedia } from '@postshelf/domain';

/** The version of the resource in an answer. */
export interface Version {
  readonly version: number;
  /**
   * Distinguishes answers that show different parts of the same version. It is null, so that there is no ETag, if a
   * part of the answer can change without a new version.
   */
  readonly variant?: string | null;
}

/**
 * Adds the version to an answer. Answers to creations don't contain it, because it is always the first version. Answers
 * to deletions don't contain it either.
 */
export type WithVersion<Answer, Method extends string, Versioned extends boolean> = Versioned extends true
  ? Method extends 'POST' | 'DELETE'
    ? Answer
    : Answer & Version
  : Answer;

/** Returns the version of the resource that an operation found, for operations that take `If-Match`. */
export const versionOf = (found: unknown): number => {
  const resource = found as { readonly version: number } | MediaWithCover;
  return 'item' in resource ? versionOfMedia(resource) : resource.version;
};

export function readVersion(answer: unknown): Version {
  const { version = FIRST_VERSION, variant = '' }: Partial<Version> = Object(answer);
  return { version, variant };
}

/** Returns an answer with its version, for faces that can't send it in a header. */
export const withVersion = (shown: unknown, version: Version | null): unknown =>
  version ? { ...Object(shown), version: version.version } : shown;

/** Returns the ETag; null if the answer must not have one. */
export const etagOf = ({ version, variant = '' }: Version): string | null =>
  variant === null ? null : `"${version}${variant}"`;

/**
 * Returns the variant of an answer.
 *
 * @param letter the kind of additional content, so that different kinds have different ETags
 */
export const variantOf = (letter: string, shown: unknown): string =>
  `-${letter}${createHash('sha256').update(JSON.stringify(shown)).digest('hex').slice(0, 8)}`;

/** Matches an ETag of this service, without the quotes. */
const TAG = /^([1-9]\d{0,14})(?:-.*)?$/;

/**
 * Reads `If-Match`. An ETag that doesn't come from this service matches no version. The prefix `W/` of weak ETags is
 * ignored, because compressing proxies add it.
 */
export function readIfMatch({ headers }: Request): ExpectedVersions {
  const header = headers.get('if-match');
  if (header === null || header.trim() === '*') return null;
  return Array.from(header.matchAll(/"([^"]*)"/g), ([, tag = '']) => Number(TAG.exec(tag)?.[1] ?? 0));
}

/**
 * Reads the versions from a field of the input instead of `If-Match`, because the calls of a batch share the headers.
 * @throws Refusal `invalid`
 */
export function readIfMatchField(input: unknown): ExpectedVersions {
  const { if_match: version }: { readonly if_match?: unknown } = Object(input);
  if (version === undefined || version === null) return null;
  if (typeof version === 'number') return [version];
  throw new Refusal({ code: 'invalid', errors: { if_match: ['The if match field must be a number.'] } });
}
