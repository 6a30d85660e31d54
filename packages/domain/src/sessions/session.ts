import type { Uuid } from '../ids.ts';

const MINUTE = 60_000;
const DAY = 24 * 60 * MINUTE;

/** Milliseconds that a session lasts, however much it is used; it ends with its token, if that is earlier. */
export const SESSION_LIFETIME = 30 * DAY;

/** Sessions of a token. Signing in beyond that ends the oldest. */
export const MAX_SESSIONS = 50;

/** Milliseconds that a link signs in for. */
export const SIGN_IN_CODE_LIFETIME = 10 * MINUTE;

/** Characters of a session's name. */
export const MAX_SESSION_NAME = 100;

/**
 * A browser that acts for a token, by a secret in a cookie. It may do what the token may, and is good for as long as the
 * token is. Times in milliseconds since the epoch.
 */
export interface Session {
  readonly id: Uuid;
  readonly tokenId: Uuid;
  /** Its name in the list: the token's, unless the browser gave another. */
  readonly name: string;
  readonly createdAt: number;
  readonly expiresAt: number;
  readonly lastUsedAt: number | null;
}

/** Signs in once, for a token. */
export interface SignInCode {
  readonly id: Uuid;
  /** Of the code, by {@link SessionSecrets}. */
  readonly hash: string;
  readonly tokenId: Uuid;
  readonly expiresAt: number;
}
