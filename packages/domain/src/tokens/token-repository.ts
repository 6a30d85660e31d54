import type { Uuid } from '../ids.ts';
import type { AccessToken } from './token.ts';

export interface TokenRepository {
  /** Keeps a token's row. Throws when a workspace of it doesn't exist or the id is taken. */
  insert(token: AccessToken): Promise<void>;
  /**
   * The row as it is now, revoked and expired ones included, without workspaces that were removed since; null when there
   * is none. Called on every request.
   */
  find(id: Uuid): Promise<AccessToken | null>;
  /** All, oldest first. */
  list(): Promise<readonly AccessToken[]>;
  /**
   * Writes down when the token was revoked. In this process every `find` that starts after this resolves sees it; in others
   * every `find` for a request that came after it. A repeat keeps the first time. The token's kept answers, sessions and
   * sign-in codes are removed with it. False when there is no such token.
   */
  revoke(id: Uuid, at: number): Promise<boolean>;
  /** Writes down when the token was last used; an earlier time than the one known, or an unknown id, changes nothing. */
  touch(id: Uuid, at: number): Promise<void>;
}
