import type { Uuid } from '../ids.ts';
import type { Rows, Slice } from '../pagination/page.ts';
import type { Session, SignInCode } from './session.ts';

export interface SessionStart {
  readonly hash: string;
  readonly codeHash: string | null;
  readonly replacedHash: string | null;
}

/** Secrets and codes are stored as hashes. */
export interface SessionRepository {
  /**
   * Removes the replaced session, and the token's oldest beyond {@link MAX_SESSIONS}.
   *
   * @returns false, and nothing changed, if the code doesn't exist: of concurrent uses one starts a session
   */
  insert(session: Session, start: SessionStart): Promise<boolean>;
  /** Also expired ones, and those of ended tokens. */
  find(hash: string): Promise<Session | null>;
  /** The newest first. */
  list(tokenId: Uuid, now: number, slice: Slice): Promise<Rows<Session>>;
  /** Every `find` that starts later returns null. */
  remove(tokenId: Uuid, id: Uuid): Promise<boolean>;
  /** An earlier time changes nothing. */
  touch(id: Uuid, at: number): Promise<void>;
  insertCode(code: SignInCode): Promise<void>;
  /** Also expired ones. */
  findCode(hash: string): Promise<SignInCode | null>;
  reap(now: number, limit: number): Promise<number>;
}

export interface SessionSecrets {
  /** At least 128 random bits, for cookies and URLs. */
  make(): string;
  /** A fast hash, as so many bits can't be guessed; null for texts that {@link make} never returns. */
  hashOf(secret: string): string | null;
}

export function makeSecret(secrets: SessionSecrets): { readonly secret: string; readonly hash: string } {
  const secret = secrets.make();
  const hash = secrets.hashOf(secret);
  if (hash === null) throw new Error('A newly made secret is invalid.');
  return { secret, hash };
}
