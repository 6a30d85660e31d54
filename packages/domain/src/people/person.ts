import type { Uuid } from '../ids.ts';
import { DEFAULT_SCOPES, SCOPES, type WorkspaceScope } from '../tokens/token.ts';

const DAY = 24 * 60 * 60 * 1000;

/** How long an invitation is good. Milliseconds. */
export const INVITATION_LIFETIME = 7 * DAY;

/** In a workspace. */
export const MAX_PEOPLE = 250;

export const MAX_PERSON_NAME = 100;

/** RFC 5321 section 4.5.3.1.3. */
export const MAX_EMAIL = 254;

export const ROLES = ['viewer', 'editor', 'manager'] as const;

export type Role = (typeof ROLES)[number];

export const isRole = (text: string): text is Role => (ROLES as readonly string[]).includes(text);

const SCOPES_OF: Readonly<Record<Role, readonly WorkspaceScope[]>> = {
  viewer: ['media:read', 'folders:read', 'analytics:read'],
  editor: DEFAULT_SCOPES.filter((scope) => !scope.startsWith('webhooks:')),
  manager: SCOPES,
};

export const scopesOf = (role: Role): readonly WorkspaceScope[] => SCOPES_OF[role];

/** Whom an OpenID provider signed in (OpenID Connect Core section 2). Never used again for others. */
export interface Identity {
  readonly issuer: string;
  readonly subject: string;
}

/** Somebody in one workspace. The same human in another is another person there. */
export interface Person {
  readonly id: Uuid;
  readonly workspaceId: Uuid;
  readonly name: string;
  /** As it was written; compared by {@link emailKey}. */
  readonly email: string | null;
  readonly role: Role;
  /** By whom alone they sign in once set. */
  readonly identity: Identity | null;
  /** `invited` until somebody has signed in, and again with a new link or another e-mail address. */
  readonly status: 'invited' | 'active';
  /** Until when an unused link is good. */
  readonly invitationExpiresAt: number | null;
  readonly createdAt: number;
  readonly updatedAt: number;
}

/** Upper and lower case of A to Z are the same. Of other letters some would become these, and so another's address. */
export const emailKey = (email: string): string => email.replace(/[A-Z]/g, (letter) => letter.toLowerCase());

/** Only that it could be one: the mail that never comes is not ours. */
export const isEmail = (text: string): boolean => text.length <= MAX_EMAIL && /^[^\s@\p{C}]+@[^\s@\p{C}]+$/u.test(text);

/** A scope of the roles that the caller hasn't, and so may not give or take; null if there is none. */
export const missingFor = (scopes: readonly string[], roles: readonly Role[]): WorkspaceScope | null =>
  roles.flatMap(scopesOf).find((scope) => !scopes.includes(scope)) ?? null;
