import type { Uuid } from '../ids.ts';
import type { Rows, Slice } from '../pagination/page.ts';
import type { RepeatCompletion } from '../repeats/repeat-repository.ts';
import type { AccessToken } from './token.ts';

/** All that are given must hold. */
export interface TokenFilter {
  /** Enters it, and perhaps others. */
  readonly workspaceId?: Uuid;
  readonly name?: string;
}

export interface TokenRotation {
  /** With the rights and the life of the old one. */
  readonly token: AccessToken;
  /** When the old one ends, unless it ends earlier. */
  readonly oldEndsAt: number;
  readonly now: number;
  readonly completion: RepeatCompletion | undefined;
}

export interface TokenRepository {
  insert(token: AccessToken, completion?: RepeatCompletion): Promise<void>;
  /** Also if revoked or expired. Called on every request. */
  find(id: Uuid): Promise<AccessToken | null>;
  /** Oldest first. */
  list(): Promise<readonly AccessToken[]>;
  /** Except those of operators, also revoked and expired ones. Newest first. */
  page(filter: TokenFilter, slice: Slice): Promise<Rows<AccessToken>>;
  /**
   * Seen by every `find` for a request that arrives later, in any process. Keeps the first time. Removes kept answers,
   * sessions and codes.
   */
  revoke(id: Uuid, at: number): Promise<boolean>;
  /**
   * Its sessions end with the old one. @returns false, and nothing changed, if that was rotated before, revoked or has
   * expired: of concurrent rotations one succeeds
   */
  rotate(id: Uuid, rotation: TokenRotation): Promise<boolean>;
  /** An earlier time changes nothing. */
  touch(id: Uuid, at: number): Promise<void>;
  /** Removes some that expired before, with all that is left of them. @returns how many */
  reap(before: number, limit: number): Promise<number>;
}
