import type { Uuid } from '../ids.ts';

/** What a token may do (docs/api.md, "Tokens"); each operation of the API names the scope that it needs. */
export const SCOPES = [
  'media:read',
  'media:write',
  'folders:read',
  'folders:write',
  'analytics:read',
  'analytics:write',
] as const;

export type Scope = (typeof SCOPES)[number];

export const isScope = (text: string): text is Scope => (SCOPES as readonly string[]).includes(text);

/** `iss` of every token. */
export const TOKEN_ISSUER = 'postshelf';

const DAY_MS = 24 * 60 * 60 * 1000;

/** How long a token lives, in milliseconds: 90 days by default, 365 at most. */
export const TOKEN_LIFETIME = { default: 90 * DAY_MS, max: 365 * DAY_MS } as const;

/** `last_used_at` is written at most this often, so that reading doesn't become writing. Milliseconds. */
export const LAST_USED_GRANULARITY = 60_000;

/** The claims of a personal access token (RFC 7519 section 4.1); the signer adds `iat`. Times in whole seconds. */
export interface TokenClaims {
  readonly iss: string;
  readonly sub: string;
  readonly jti: Uuid;
  readonly exp: number;
}

/** Signs and verifies personal access tokens: JWTs (RFC 7519), HS256 and nothing else (docs/api.md, "Tokens"). */
export interface TokenSigner {
  sign(claims: TokenClaims): Promise<string>;
  /**
   * The claims of a token that we signed and that hasn't expired; null for any other text: another algorithm, `alg:
   * none`, another key, a changed byte, a missing claim. Doesn't check revocation.
   */
  verify(token: string): Promise<TokenClaims | null>;
}

/** What is stored about a token: everything but the token itself. Times in milliseconds since the epoch. */
export interface AccessToken {
  /** The token's `jti`. */
  readonly id: Uuid;
  readonly name: string;
  readonly scopes: readonly Scope[];
  readonly workspaceIds: readonly Uuid[];
  readonly createdAt: number;
  readonly expiresAt: number;
  readonly revokedAt: number | null;
  readonly lastUsedAt: number | null;
}

export const isLive = (token: AccessToken, now: number): boolean => token.revokedAt === null && now < token.expiresAt;

export const hasAccessTo = (token: AccessToken, workspace: Uuid): boolean => token.workspaceIds.includes(workspace);
