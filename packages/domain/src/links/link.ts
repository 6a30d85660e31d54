import { invalid, Refusal } from '../errors.ts';
import { parseUuid, type Uuid } from '../ids.ts';

/**
 * Who can read a workspace's files: anyone who has an item's link (`public`), or only holders of a signed link
 * (`signed`).
 */
export const LINK_ACCESS = ['public', 'signed'] as const;

export type LinkAccess = (typeof LINK_ACCESS)[number];

/** Lifetime of a signed link in seconds. */
export const LINK_LIFE = { min: 60, max: 7 * 24 * 60 * 60 } as const;

/** Seconds for which a redirect is valid. A video that is paused for less than this can be resumed. */
const REDIRECT_LIFE = 60 * 60;

/**
 * Seconds for which a redirect of a signed link is valid. This is less than {@link REDIRECT_LIFE}, because the bucket
 * accepts a redirect even after the workspace's key is rotated.
 */
const SIGNED_REDIRECT_LIFE = 15 * 60;

/**
 * Returns the seconds for which a redirect of a link to the bucket is valid.
 *
 * @param secondsLeft until a signed link expires; null if the link isn't signed
 */
export const redirectLife = (secondsLeft: number | null): number =>
  secondsLeft === null ? REDIRECT_LIFE : Math.min(secondsLeft, SIGNED_REDIRECT_LIFE);

/** Maximum number of items whose links are signed in one call. */
export const MAX_SIGNED_ITEMS = 100;

/**
 * The path that is signed. It is decoded, so that the spelling of a URL doesn't matter. The second segment of every
 * path is the workspace, so access can be checked without knowing what the rest of the path refers to.
 */
export type LinkedPath = `files/${string}` | `previews/${string}` | `archives/${string}`;

/** Returns the workspace of a path; null if it names none. */
export const workspaceOfPath = (path: LinkedPath): Uuid | null => parseUuid(path.split('/')[1]);

export interface SignedTerms {
  /** The workspace's key; null until the first rotation. A new key invalidates all links that were signed before. */
  readonly key: Uuid | null;
  readonly path: LinkedPath;
  /** Seconds since 1970. */
  readonly expires: number;
}

/** Makes and verifies signatures of links. Nobody but the library's servers can make valid ones. */
export interface LinkSigner {
  /** Returns a URL-safe signature. */
  sign(terms: SignedTerms): string;
  /** Verifies a signature in constant time. */
  verify(terms: SignedTerms, signature: string): boolean;
}

/** The query parameters of a signed link; null if missing. */
export interface LinkSignature {
  readonly expires: string | null;
  readonly signature: string | null;
}

/** Returns for how many whole seconds a signed link is still valid at `now` (milliseconds); null if it isn't valid. */
export function secondsLeft(
  signer: LinkSigner,
  { key, path }: Omit<SignedTerms, 'expires'>,
  { expires: written, signature }: LinkSignature,
  now: number,
): number | null {
  if (written === null || signature === null || !/^[1-9]\d{0,11}$/.test(written)) return null;
  const expires = Number(written);
  const left = expires - Math.ceil(now / 1000);
  // The result is capped, because the clock of the server that signed the link may be ahead.
  return left > 0 && signer.verify({ key, path, expires }, signature) ? Math.min(left, LINK_LIFE.max) : null;
}

export const signedQuery = (expires: number, signature: string): string => `?expires=${expires}&signature=${signature}`;

export const linkRefused = (): Refusal =>
  new Refusal({ code: 'forbidden', message: 'This file needs a signed link that has not expired.' });

/** @param isPublic whether readers get media from the bucket itself, which doesn't check our signatures */
export function requireSignable(links: LinkAccess, isPublic: boolean): void {
  if (links === 'signed' && isPublic) throw invalid('links', PUBLIC_BUCKET);
}

const PUBLIC_BUCKET =
  'Links cannot be signed while S3_PUBLIC_URL is set, because readers then get files from the public bucket itself.';
