import type { Uuid } from '../ids.ts';
import type { AccessToken } from './token.ts';

export interface TokenRepository {
  insert(token: AccessToken): Promise<void>;
  /** Also if revoked or expired. Called on every request. */
  find(id: Uuid): Promise<AccessToken | null>;
  /** Oldest first. */
  list(): Promise<readonly AccessToken[]>;
  /**
   * Seen by every `find` for a request that arrives later, in any process. Keeps the first time. Removes kept answers,
   * sessions and codes.
   */
  revoke(id: Uuid, at: number): Promise<boolean>;
  /** An earlier time changes nothing. */
  touch(id: Uuid, at: number): Promise<void>;
}
