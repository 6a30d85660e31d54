import type { Uuid } from '../ids.ts';
import { DEFAULT_SCOPES, SCOPES, type WorkspaceScope } from '../tokens/token.ts';

const DAY = 24 * 60 * 60 * 1000;

/** How long an invitation is valid, in milliseconds. */
export const INVITATION_LIFETIME = 7 * DAY;

/** Maximum number of people in a workspace. */
export const MAX_PEOPLE = 250;

export const MAX_PERSON_NAME = 100;

/** Maximum length of an e-mail address (RFC 5321 section 4.5.3.1.3). */
export const MAX_EMAIL = 254;

export const ROLES = ['viewer', 'editor', 'manager'] as const;

export type Role = (typeof ROLES)[number];

const SCOPES_OF: Readonly<Record<Role, readonly WorkspaceScope[]>> = {
  viewer: ['media:read', 'folders:read', 'analytics:read'],
  editor: DEFAULT_SCOPES.filter((scope) => !scope.startsWith('webhooks:')),
  manager: SCOPES,
};

export const scopesOf = (role: Role): readonly WorkspaceScope[] => SCOPES_OF[role];

/** A user at an OpenID provider (OpenID Connect Core section 2). Providers never reuse an identity for another user. */
export interface Identity {
  readonly issuer: string;
  readonly subject: string;
}

/** A person in one workspace. The same human in another workspace is another person there. */
export interface Person {
  readonly id: Uuid;
  readonly workspaceId: Uuid;
  readonly name: string;
  /** The address as it was entered; compared by {@link emailKey}. */
  readonly email: string | null;
  readonly role: Role;
  /** Once set, the only identity with which the person can sign in. */
  readonly identity: Identity | null;
  /** `invited` until the first sign-in, and again after a new link or another e-mail address. */
  readonly status: 'invited' | 'active';
  /** When the unused invitation link expires; null if there is none. */
  readonly invitationExpiresAt: number | null;
  readonly createdAt: number;
  readonly updatedAt: number;
}

/**
 * Returns an address in the form that is compared. Only A to Z are converted to lower case. Unicode would also convert
 * some other letters to a to z, such as the Kelvin sign, and so turn an address into another user's.
 */
export const emailKey = (email: string): string => email.replace(/[A-Z]/g, (letter) => letter.toLowerCase());

/** Whether a text could be an e-mail address; whether it exists isn't checked. */
export const isEmail = (text: string): boolean => text.length <= MAX_EMAIL && /^[^\s@\p{C}]+@[^\s@\p{C}]+$/u.test(text);

/**
 * Returns a scope that one of the roles has and the caller lacks; null if there is none. A caller who lacks a scope of
 * a role may neither grant nor take away the role.
 */
export const missingFor = (scopes: readonly string[], roles: readonly Role[]): WorkspaceScope | null =>
  roles.flatMap(scopesOf).find((scope) => !scopes.includes(scope)) ?? null;
