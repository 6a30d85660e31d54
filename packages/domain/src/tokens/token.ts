import type { Uuid } from '../ids.ts';

/** What new tokens may do in their workspaces, unless they are given others. */
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

/** What a token may do in its workspaces. */
export const SCOPES = [...DEFAULT_SCOPES, ...PEOPLE_SCOPES] as const;

/** Runs the service by HTTP: alone in its token. Only the command line gives it. */
export const OPERATOR = 'operator';

export type WorkspaceScope = (typeof SCOPES)[number];
export type Scope = WorkspaceScope | typeof OPERATOR;

export const isWorkspaceScope = (text: string): text is WorkspaceScope => (SCOPES as readonly string[]).includes(text);

export const isScope = (text: string): text is Scope => text === OPERATOR || isWorkspaceScope(text);

export const TOKEN_ISSUER = 'postshelf';

const DAY_MS = 24 * 60 * 60 * 1000;

/** Milliseconds. */
export const TOKEN_LIFETIME = { default: 90 * DAY_MS, max: 365 * DAY_MS } as const;

/** How long the old token may stay after a rotation. Milliseconds. */
export const MAX_ROTATION_OVERLAP = DAY_MS;

/** How long an expired token is still listed. */
export const EXPIRED_TOKEN_LIFE = 90 * DAY_MS;

export const MAX_TOKEN_NAME_LENGTH = 100;

export const MAX_TOKEN_WORKSPACES = 500;

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

export const isOperator = ({ scopes }: Pick<AccessToken, 'scopes'>): boolean => scopes.includes(OPERATOR);
