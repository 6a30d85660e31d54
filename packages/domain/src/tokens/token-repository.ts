import type { Uuid } from '../ids.ts';
import type { AccessToken } from './token.ts';

export interface TokenRepository {
  /** Throws if a workspace doesn't exist or the id is taken. */
  insert(token: AccessToken): Promise<void>;
  /** Also if revoked or expired, without workspaces removed since. Called on every request. */
  find(id: Uuid): Promise<AccessToken | null>;
  /** Oldest first. */
  list(): Promise<readonly AccessToken[]>;
  /**
   * Seen by every `find` that starts in this process later, and in others for every request that arrived later. Keeps
   * the first time. Also removes kept answers, sessions and codes. False if there is no such token.
   */
  revoke(id: Uuid, at: number): Promise<boolean>;
  /** An earlier time than the stored one, or an unknown id, changes nothing. */
  touch(id: Uuid, at: number): Promise<void>;
}
