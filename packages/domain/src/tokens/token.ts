import type { Uuid } from '../ids.ts';

export const SCOPES = [
  'media:read',
  'media:write',
  'folders:read',
  'folders:write',
  'analytics:read',
  'analytics:write',
  'webhooks:read',
  'webhooks:write',
] as const;

export type Scope = (typeof SCOPES)[number];

export const isScope = (text: string): text is Scope => (SCOPES as readonly string[]).includes(text);

export const TOKEN_ISSUER = 'postshelf';

const DAY_MS = 24 * 60 * 60 * 1000;

/** Milliseconds. */
export const TOKEN_LIFETIME = { default: 90 * DAY_MS, max: 365 * DAY_MS } as const;

/** So that reading doesn't become writing. */
export const LAST_USED_GRANULARITY = 60_000;

/** RFC 7519 section 4.1. Whole seconds. */
export interface TokenClaims {
  readonly iss: string;
  readonly sub: string;
  readonly jti: Uuid;
  readonly exp: number;
}

/** JWTs (RFC 7519), HS256 and nothing else. */
export interface TokenSigner {
  sign(claims: TokenClaims): Promise<string>;
  /** null unless we signed it and it hasn't expired. Doesn't check revocation. */
  verify(token: string): Promise<TokenClaims | null>;
}

export interface AccessToken {
  /** `jti` */
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
