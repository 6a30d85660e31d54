import type { IdempotencyCompletion } from '../idempotency/idempotency-repository.ts';
import type { Uuid } from '../ids.ts';
import type { Rows, Slice } from '../pagination/page.ts';
import type { AccessToken } from './token.ts';

/** Tokens must meet all given conditions. */
export interface TokenFilter {
  /** A workspace that the token can enter; it may be one of several. */
  readonly workspaceId?: Uuid;
  readonly name?: string;
  /** Whether operators' tokens are listed as well. Default false. */
  readonly withOperators?: boolean;
}

interface TokenRotation {
  /** The new token, with the rights and the lifetime of the old one. */
  readonly token: AccessToken;
  /** When the old token ends because of the rotation, unless it expires or is revoked earlier. */
  readonly oldEndsAt: number;
  readonly now: number;
  readonly completion: IdempotencyCompletion | undefined;
}

export interface TokenRepository {
  insert(token: AccessToken, completion?: IdempotencyCompletion): Promise<void>;
  /** Finds a token, even if it is revoked or expired. Called on every request. */
  find(id: Uuid): Promise<AccessToken | null>;
  /** Lists tokens, oldest first. */
  list(): Promise<readonly AccessToken[]>;
  /** Lists tokens, including revoked and expired ones, newest first. */
  page(filter: TokenFilter, slice: Slice): Promise<Rows<AccessToken>>;
  /**
   * Revokes a token and removes its stored responses, sessions and codes. Every `find` for a request that arrives later
   * returns the revoked token, in any process. The first revocation time is kept.
   */
  revoke(id: Uuid, at: number): Promise<boolean>;
  /**
   * Replaces a token. The sessions of the old token end when it ends.
   *
   * @returns false, and changes nothing, if the old token was already rotated, is revoked or has expired; only one of
   *   several concurrent rotations succeeds
   */
  rotate(id: Uuid, rotation: TokenRotation): Promise<boolean>;
  /** Records the last use; an earlier time changes nothing. */
  touch(id: Uuid, at: number): Promise<void>;
  /** Prunes some tokens that expired before the given time, together with their remaining data. @returns how many */
  prune(before: number, limit: number): Promise<number>;
}
