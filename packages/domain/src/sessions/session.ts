import type { Uuid } from '../ids.ts';

const MINUTE = 60_000;
const DAY = 24 * 60 * MINUTE;

/** Milliseconds that a session lasts, however much it is used, unless its token ends earlier. */
export const SESSION_LIFETIME = 30 * DAY;

/** Most sessions of a token. Signing in beyond that removes the oldest. */
export const MAX_SESSIONS = 50;

/** Milliseconds for which a sign-in link is valid. */
export const SIGN_IN_CODE_LIFETIME = 10 * MINUTE;

/** Characters of a session's name. */
export const MAX_SESSION_NAME = 100;

/**
 * A browser that acts for a token, authenticated by a secret in a cookie. It has the token's rights, and isn't valid
 * longer than the token. Times in milliseconds since the epoch.
 */
export interface Session {
  readonly id: Uuid;
  readonly tokenId: Uuid;
  /** Its display name: the token's, unless the browser gave another. */
  readonly name: string;
  readonly createdAt: number;
  readonly expiresAt: number;
  readonly lastUsedAt: number | null;
}

/** A code that signs in once, for a token. */
export interface SignInCode {
  readonly id: Uuid;
  /** Hash of the code, by {@link SessionSecrets}. */
  readonly hash: string;
  readonly tokenId: Uuid;
  readonly expiresAt: number;
}
