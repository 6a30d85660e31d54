import type { Uuid } from '../ids.ts';
import type { Rows, Slice } from '../pagination/page.ts';
import type { Identity } from '../people/person.ts';
import type { Session, SignInCode } from './session.ts';

/** By what a session begins. A code or an invitation is used up by it. */
export type SessionGrounds =
  | { readonly kind: 'token'; readonly codeHash: string | null }
  | { readonly kind: 'invitation'; readonly hash: string }
  /** As all people who are bound to it. */
  | { readonly kind: 'identity'; readonly identity: Identity };

export interface SessionStart {
  readonly hash: string;
  readonly grounds: SessionGrounds;
  readonly replacedHash: string | null;
}

/** Whose sessions: a token's, or those as any of some people. */
export type SessionHolder = { readonly tokenId: Uuid } | { readonly people: readonly Uuid[] };

/** Secrets and codes are stored as hashes. */
export interface SessionRepository {
  /**
   * Removes the replaced session, and the holder's oldest beyond {@link MAX_SESSIONS}.
   *
   * @returns false, and nothing changed, if the code or the invitation doesn't exist, or nobody is bound to the identity:
   * of concurrent uses of a code one starts a session
   */
  insert(session: Session, start: SessionStart): Promise<boolean>;
  /** Also expired ones, and those of ended tokens. */
  find(hash: string): Promise<Session | null>;
  /** Newest first. */
  list(holder: SessionHolder, now: number, slice: Slice): Promise<Rows<Session>>;
  /** Every `find` that starts later returns null. */
  remove(holder: SessionHolder, id: Uuid): Promise<boolean>;
  /** And codes, and people's unused links. */
  removeAll(): Promise<void>;
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
