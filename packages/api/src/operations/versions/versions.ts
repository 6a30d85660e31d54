import { createHash } from 'node:crypto';
import { type ExpectedVersions, FIRST_VERSION, type MediaWithCover, Refusal, versionOfMedia } from '@postshelf/domain';

/** What a versioned operation says of the resource in its answer. */
export interface Version {
  readonly version: number;
  /** Distinguishes answers that show more of the same version; null: one that also shows what has no version. */
  readonly variant?: string | null;
}

/** A new resource has the first version, and a deleted one none, so both go without saying. */
export type WithVersion<Answer, Method extends string, Versioned extends boolean> = Versioned extends true
  ? Method extends 'POST' | 'DELETE'
    ? Answer
    : Answer & Version
  : Answer;

/** Of what an operation found; for those that take `If-Match`. */
export const versionOf = (found: unknown): number => {
  const resource = found as { readonly version: number } | MediaWithCover;
  return 'item' in resource ? versionOfMedia(resource) : resource.version;
};

export function readVersion(answer: unknown): Version {
  const { version = FIRST_VERSION, variant = '' }: Partial<Version> = Object(answer);
  return { version, variant };
}

/** null: not to be told. */
export const etagOf = ({ version, variant = '' }: Version): string | null =>
  variant === null ? null : `"${version}${variant}"`;

/** @param letter of what is shown as well, so that each kind has tags of its own */
export const variantOf = (letter: string, shown: unknown): string =>
  `-${letter}${createHash('sha256').update(JSON.stringify(shown)).digest('hex').slice(0, 8)}`;

/** An ETag, without the quotes. */
const TAG = /^([1-9]\d{0,14})(?:-.*)?$/;

/** What isn't a tag of ours names no version. Marks of weakness are overlooked, as proxies that compress add them. */
export function readIfMatch({ headers }: Request): ExpectedVersions {
  const header = headers.get('if-match');
  if (header === null || header.trim() === '*') return null;
  return Array.from(header.matchAll(/"([^"]*)"/g), ([, tag = '']) => Number(TAG.exec(tag)?.[1] ?? 0));
}

/** The same by a field of the input, as calls of a batch share the headers. @throws Refusal `invalid` */
export function readIfMatchField(input: unknown): ExpectedVersions {
  const { if_match: version }: { readonly if_match?: unknown } = Object(input);
  if (version === undefined || version === null) return null;
  if (typeof version === 'number') return [version];
  throw new Refusal({ code: 'invalid', errors: { if_match: ['The if match field must be a number.'] } });
}
