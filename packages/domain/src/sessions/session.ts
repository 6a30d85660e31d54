import type { Uuid } from '../ids.ts';

const MINUTE = 60_000;
const DAY = 24 * 60 * MINUTE;

/** Milliseconds; a session ends earlier if its token does. */
export const SESSION_LIFETIME = 30 * DAY;

/** Maximum number of sessions of a holder; signing in again removes the oldest. */
export const MAX_SESSIONS = 50;

export const SIGN_IN_CODE_LIFETIME = 10 * MINUTE;

export const MAX_SESSION_NAME = 100;

/** Returns a sign-in link. The code is in the fragment, which browsers don't send, so that no log contains it. */
export const signInLink = (publicUrl: string, code: string): string => `${publicUrl}/#code=${code}`;

/** A browser session that acts for a token or a person, with a secret in a cookie. */
export interface Session {
  readonly id: Uuid;
  /** null if the session acts as people. */
  readonly tokenId: Uuid | null;
  /**
   * The name in the list of sessions. By default, it is the name of the token or person; the browser may set a
   * different one.
   */
  readonly name: string;
  readonly createdAt: number;
  readonly expiresAt: number;
  readonly lastUsedAt: number | null;
}

export interface SignInCode {
  readonly id: Uuid;
  /** The hash of the code, made by {@link SessionSecrets}. */
  readonly hash: string;
  readonly tokenId: Uuid;
  readonly expiresAt: number;
}
