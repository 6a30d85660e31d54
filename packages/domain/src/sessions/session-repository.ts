import type { Uuid } from '../ids.ts';
import type { Rows, Slice } from '../pagination/page.ts';
import type { Session, SignInCode } from './session.ts';

/** What a session is begun with. */
export interface SessionStart {
  /** Of the session's secret. */
  readonly hash: string;
  /** Of the code that is used up; null where none is. */
  readonly codeHash: string | null;
  /** Of the secret of the session that ends, as the browser gets this one in its place; null where it had none. */
  readonly replacedHash: string | null;
}

/** Sessions of browsers, and codes that begin one. Secrets and codes are kept as hashes only. */
export interface SessionRepository {
  /**
   * Keeps a session, and ends the one that it replaces and the token's oldest beyond {@link MAX_SESSIONS}, all in one
   * transaction.
   *
   * @returns false, and nothing is changed, where the code isn't there (any more): of those who use one at once, also from
   *   two processes, one begins a session
   */
  insert(session: Session, start: SessionStart): Promise<boolean>;
  /** By the hash of its secret; expired ones included, and those of tokens that are no good any more. */
  find(hash: string): Promise<Session | null>;
  /** A token's sessions that haven't expired, the newest first. */
  list(tokenId: Uuid, now: number, slice: Slice): Promise<Rows<Session>>;
  /** Every `find` that starts after this resolves says null. False when the token has no such session. */
  remove(tokenId: Uuid, id: Uuid): Promise<boolean>;
  /** Writes down when it was last used; an earlier time than the one known, or an unknown id, changes nothing. */
  touch(id: Uuid, at: number): Promise<void>;
  insertCode(code: SignInCode): Promise<void>;
  /** Expired ones included. */
  findCode(hash: string): Promise<SignInCode | null>;
  /** Removes at most `limit` sessions and as many codes that expired. @returns how many */
  reap(now: number, limit: number): Promise<number>;
}

/** Makes the secrets of sessions, and codes. */
export interface SessionSecrets {
  /** At least 128 random bits, as characters that cookies and addresses take as they are. */
  make(): string;
  /** The hash that is kept of a secret: a fast one, as nobody guesses so many bits. null for texts that {@link make} never gives. */
  hashOf(secret: string): string | null;
}

/** Makes a secret, with the hash that is kept of it. */
export function makeSecret(secrets: SessionSecrets): { readonly secret: string; readonly hash: string } {
  const secret = secrets.make();
  const hash = secrets.hashOf(secret);
  if (hash === null) throw new Error('A secret that was just made is none.');
  return { secret, hash };
}
