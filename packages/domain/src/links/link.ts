import { invalid, Refusal } from '../errors.ts';
import { parseUuid, type Uuid } from '../ids.ts';

/** Who reads the files of a workspace: whoever has a `link`, or only who has a signed one. */
export const LINK_ACCESS = ['public', 'signed'] as const;

export type LinkAccess = (typeof LINK_ACCESS)[number];

/** Seconds that a signed link is good for. */
export const LINK_LIFE = { min: 60, max: 7 * 24 * 60 * 60 } as const;

/** Items whose links are signed in one call. */
export const MAX_SIGNED_ITEMS = 100;

/**
 * What a link shows, as it is signed: decoded, so that the spelling of an address doesn't matter. Names of all kinds
 * begin with the workspace, so access is judged before anything else is known of them.
 */
export type LinkedPath = `files/${string}` | `previews/${string}` | `archives/${string}`;

/** Of a path's workspace; null if it names none. */
export const workspaceOfPath = (path: LinkedPath): Uuid | null => parseUuid(path.split('/')[1]);

export interface SignedTerms {
  /** Of the workspace; a new one ends all links signed before. null until the first rotation. */
  readonly key: Uuid | null;
  readonly path: LinkedPath;
  /** Seconds since 1970. */
  readonly expires: number;
}

/** Port: signatures that only the library's servers can make. */
export interface LinkSigner {
  /** URL-safe. */
  sign(terms: SignedTerms): string;
  /** In a time that doesn't depend on where they differ. */
  verify(terms: SignedTerms, signature: string): boolean;
}

/** The query of a signed link; null where it is missing. */
export interface LinkSignature {
  readonly expires: string | null;
  readonly signature: string | null;
}

/** Whole seconds for which a signed link is still good at `now` (milliseconds); null if it isn't. */
export function secondsLeft(
  signer: LinkSigner,
  { key, path }: Omit<SignedTerms, 'expires'>,
  { expires: written, signature }: LinkSignature,
  now: number,
): number | null {
  if (written === null || signature === null || !/^[1-9]\d{0,11}$/.test(written)) return null;
  const expires = Number(written);
  const left = expires - Math.ceil(now / 1000);
  // Another server's clock may be ahead.
  return left > 0 && signer.verify({ key, path, expires }, signature) ? Math.min(left, LINK_LIFE.max) : null;
}

export const signedQuery = (expires: number, signature: string): string => `?expires=${expires}&signature=${signature}`;

export const linkRefused = (): Refusal =>
  new Refusal({ code: 'forbidden', message: 'This file needs a signed link that has not expired.' });

/** @param isPublic whether readers get media from the bucket itself, which checks no signatures of ours */
export function requireSignable(links: LinkAccess, isPublic: boolean): void {
  if (links === 'signed' && isPublic) throw invalid('links', PUBLIC_BUCKET);
}

const PUBLIC_BUCKET =
  'Links cannot be signed while S3_PUBLIC_URL is set, because readers then get files from the public bucket itself.';
