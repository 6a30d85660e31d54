import type { Uuid } from '../ids.ts';
import type { AccessToken } from './token.ts';

export interface TokenRepository {
  /** Inserts a token. Throws if one of its workspaces doesn't exist or the id is taken. */
  insert(token: AccessToken): Promise<void>;
  /**
   * The token, also if revoked or expired, without workspaces that were removed since; null if there is none. Called on
   * every request.
   */
  find(id: Uuid): Promise<AccessToken | null>;
  /** All, oldest first. */
  list(): Promise<readonly AccessToken[]>;
  /**
   * Records when the token was revoked. It is seen by every `find` that starts in this process after this resolves, and
   * in other processes by every `find` for a request that arrived afterwards. Repeated calls keep the first time. Also
   * removes the token's kept answers, sessions and sign-in codes. False if there is no such token.
   */
  revoke(id: Uuid, at: number): Promise<boolean>;
  /** Records when the token was last used; an earlier time than the stored one, or an unknown id, changes nothing. */
  touch(id: Uuid, at: number): Promise<void>;
}
