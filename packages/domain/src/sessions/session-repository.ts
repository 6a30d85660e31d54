import type { Uuid } from '../ids.ts';
import type { Rows, Slice } from '../pagination/page.ts';
import type { Session, SignInCode } from './session.ts';

/** The secrets involved in starting a session. */
export interface SessionStart {
  /** Hash of the session's secret. */
  readonly hash: string;
  /** Hash of the sign-in code that is used up; null if there is none. */
  readonly codeHash: string | null;
  /** Hash of the secret of the browser's previous session, which this one replaces; null if it had none. */
  readonly replacedHash: string | null;
}

/** Browser sessions, and the codes that start one. Secrets and codes are stored as hashes only. */
export interface SessionRepository {
  /**
   * Inserts a session, and removes the one that it replaces and the token's oldest ones beyond {@link MAX_SESSIONS},
   * all in one transaction.
   *
   * @returns false, and nothing is changed, if the code doesn't exist (any more): of concurrent uses of a code, also
   *   from several processes, one starts a session
   */
  insert(session: Session, start: SessionStart): Promise<boolean>;
  /**
   * Finds a session by the hash of its secret, including expired ones and those of tokens that aren't valid any more.
   */
  find(hash: string): Promise<Session | null>;
  /** A token's sessions that haven't expired, the newest first. */
  list(tokenId: Uuid, now: number, slice: Slice): Promise<Rows<Session>>;
  /**
   * Removes a session. Every `find` that starts after this resolves returns null. False if the token has no such
   * session.
   */
  remove(tokenId: Uuid, id: Uuid): Promise<boolean>;
  /** Records when the session was last used; an earlier time than the stored one, or an unknown id, changes nothing. */
  touch(id: Uuid, at: number): Promise<void>;
  insertCode(code: SignInCode): Promise<void>;
  /** Finds a code by its hash, including expired ones. */
  findCode(hash: string): Promise<SignInCode | null>;
  /** Removes at most `limit` expired sessions and as many expired codes. @returns how many */
  reap(now: number, limit: number): Promise<number>;
}

/** Makes the secrets of sessions, and codes. */
export interface SessionSecrets {
  /** A secret of at least 128 random bits, in characters that need no encoding in cookies and URLs. */
  make(): string;
  /**
   * The stored hash of a secret: a fast hash, as so many bits can't be guessed. null for texts that {@link make} never
   * returns.
   */
  hashOf(secret: string): string | null;
}

/** Makes a secret and its hash. */
export function makeSecret(secrets: SessionSecrets): { readonly secret: string; readonly hash: string } {
  const secret = secrets.make();
  const hash = secrets.hashOf(secret);
  if (hash === null) throw new Error('A newly made secret is invalid.');
  return { secret, hash };
}
