import type { Uuid } from '../ids.ts';
import type { Rows, Slice } from '../pagination/page.ts';
import type { Identity } from '../people/person.ts';
import type { Session, SignInCode } from './session.ts';

/** What entitles a caller to start a session. A code or an invitation can start only one session. */
export type SessionGrounds =
  | { readonly kind: 'token'; readonly codeHash: string | null }
  | { readonly kind: 'invitation'; readonly hash: string }
  /** A session that acts as all people who are bound to the identity. */
  | { readonly kind: 'identity'; readonly identity: Identity };

export interface SessionStart {
  readonly hash: string;
  readonly grounds: SessionGrounds;
  readonly replacedHash: string | null;
}

/** The owner of sessions: a token, or the people that the sessions act as. */
export type SessionHolder = { readonly tokenId: Uuid } | { readonly people: readonly Uuid[] };

/** Secrets and codes are stored as hashes. */
export interface SessionRepository {
  /**
   * Adds a session. Removes the session that it replaces, and the holder's oldest sessions beyond {@link MAX_SESSIONS}.
   *
   * @returns false, and changes nothing, if the code or the invitation doesn't exist, or no person is bound to the
   *   identity; only one of several concurrent uses of a code starts a session
   */
  insert(session: Session, start: SessionStart): Promise<boolean>;
  /** Finds a session, even if it has expired or its token has ended. */
  find(hash: string): Promise<Session | null>;
  /** Lists sessions, newest first. */
  list(holder: SessionHolder, now: number, slice: Slice): Promise<Rows<Session>>;
  /** Ends a session, so that every `find` that starts later returns null. */
  end(holder: SessionHolder, id: Uuid): Promise<boolean>;
  /** Ends all sessions, and removes all codes and people's unused links. */
  endAll(): Promise<void>;
  /** Records the last use; an earlier time changes nothing. */
  touch(id: Uuid, at: number): Promise<void>;
  insertCode(code: SignInCode): Promise<void>;
  /** Finds a code, even if it has expired. */
  findCode(hash: string): Promise<SignInCode | null>;
  /** Prunes expired sessions and codes, at most `limit` of each. @returns how many */
  prune(now: number, limit: number): Promise<number>;
}

export interface SessionSecrets {
  /** Returns at least 128 random bits, for cookies and URLs. */
  make(): string;
  /**
   * Returns the hash of a secret; null for texts that {@link make} never returns. A fast hash suffices, because 128
   * random bits can't be guessed.
   */
  hashOf(secret: string): string | null;
}

export function makeSecret(secrets: SessionSecrets): { readonly secret: string; readonly hash: string } {
  const secret = secrets.make();
  const hash = secrets.hashOf(secret);
  if (hash === null) throw new Error('A newly made secret is invalid.');
  return { secret, hash };
}
