import type { Uuid } from '../ids.ts';

/** The default scopes of new tokens. */
export const DEFAULT_SCOPES = [
  'media:read',
  'media:write',
  'folders:read',
  'folders:write',
  'analytics:read',
  'analytics:write',
  'webhooks:read',
  'webhooks:write',
] as const;

export const PEOPLE_SCOPES = ['people:read', 'people:write'] as const;

/** The scopes that a token may have in its workspaces. */
export const SCOPES = [...DEFAULT_SCOPES, ...PEOPLE_SCOPES] as const;

/**
 * The scope for administering the service over HTTP. A token with this scope has no other one, and only the command
 * line grants it.
 */
export const OPERATOR = 'operator';

export type WorkspaceScope = (typeof SCOPES)[number];
export type Scope = WorkspaceScope | typeof OPERATOR;

export const isWorkspaceScope = (text: string): text is WorkspaceScope => (SCOPES as readonly string[]).includes(text);

export const isScope = (text: string): text is Scope => text === OPERATOR || isWorkspaceScope(text);

export const TOKEN_ISSUER = 'postshelf';

const DAY_MS = 24 * 60 * 60 * 1000;

/** Lifetime of a token in milliseconds. */
export const TOKEN_LIFETIME = { default: 90 * DAY_MS, max: 365 * DAY_MS } as const;

/** How long the old token may stay valid after a rotation, in milliseconds. */
export const MAX_ROTATION_OVERLAP = DAY_MS;

/** How long an expired token is still listed, in milliseconds. */
export const EXPIRED_TOKEN_LIFE = 90 * DAY_MS;

export const MAX_TOKEN_NAME_LENGTH = 100;

export const MAX_TOKEN_WORKSPACES = 500;

/** Minimum number of milliseconds between two updates of a token's last use, so that not every read causes a write. */
export const LAST_USED_GRANULARITY = 60_000;

/** Claims of a JWT (RFC 7519 section 4.1). Times are in whole seconds. */
export interface TokenClaims {
  readonly iss: string;
  readonly sub: string;
  readonly jti: Uuid;
  readonly exp: number;
}

/** Signs and verifies JWTs (RFC 7519) with HS256 only. */
export interface TokenSigner {
  sign(claims: TokenClaims): Promise<string>;
  /** Returns the claims if we signed the token and it hasn't expired, otherwise null. Doesn't check revocation. */
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

export const isOperator = ({ scopes }: Pick<AccessToken, 'scopes'>): boolean => scopes.includes(OPERATOR);
