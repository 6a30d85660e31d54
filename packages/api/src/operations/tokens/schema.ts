import {
  type AccessToken,
  MAX_ROTATION_OVERLAP,
  MAX_TOKEN_NAME_LENGTH,
  MAX_TOKEN_WORKSPACES,
  SCOPES,
  TOKEN_LIFETIME,
  type Uuid,
  type WorkspaceScope,
} from '@postshelf/domain';
import * as v from 'valibot';
import { documented } from '../fields/documented.ts';
import { dateTime, listOf, nameOf, noneTwice, showTime, uuid, uuidOf } from '../fields/values.ts';
import { pageQuery } from '../pagination.ts';

const seconds = (min: number, max: number, facts: { readonly description: string; readonly default: number }) =>
  v.optional(
    v.pipe(
      documented(v.number(), { type: 'integer', minimum: min, maximum: max, ...facts }),
      v.check(
        (number) => Number.isInteger(number) && number >= min && number <= max,
        `must be a whole number from ${min} to ${max}.`,
      ),
    ),
  );

export const newToken = documented(
  v.object({
    name: nameOf(MAX_TOKEN_NAME_LENGTH, { description: 'What the token is for.', examples: ['picker'] }),
    workspaces: documented(v.pipe(listOf(uuid, MAX_TOKEN_WORKSPACES, 1), noneTwice<Uuid>(MAX_TOKEN_WORKSPACES)), {
      description: 'Ids of the workspaces that the token has access to.',
    }),
    scopes: documented(v.pipe(listOf(v.picklist(SCOPES), SCOPES.length, 1), noneTwice<WorkspaceScope>(SCOPES.length)), {
      description: 'What the token may do in these workspaces.',
      examples: [['media:read']],
    }),
    expires_in: seconds(1, TOKEN_LIFETIME.max / 1000, {
      description: 'Seconds until it expires.',
      default: TOKEN_LIFETIME.default / 1000,
    }),
  }),
  { title: 'NewToken' },
);

export const tokenRotation = documented(
  v.object({
    overlap: seconds(0, MAX_ROTATION_OVERLAP / 1000, {
      description: 'Seconds until the old token expires.',
      default: 0,
    }),
  }),
  { title: 'TokenRotation' },
);

export const tokenQuery = v.object({
  workspace: v.optional(uuidOf('Tokens that have access to this workspace.')),
  name: v.optional(
    nameOf(MAX_TOKEN_NAME_LENGTH, { description: 'Tokens with exactly this name.', examples: ['picker'] }),
  ),
  ...pageQuery,
});

const tokenFields = {
  id: documented(v.string(), { format: 'uuid' }),
  name: v.string(),
  workspaces: documented(v.array(documented(v.string(), { format: 'uuid' })), {
    description: 'Ids of the workspaces that the token has access to.',
  }),
  scopes: v.array(v.string()),
  created_at: dateTime('When it was issued.'),
  expires_at: dateTime('When it expires.'),
  revoked_at: v.nullable(dateTime('When it was revoked; null if it wasn’t.')),
  last_used_at: v.nullable(dateTime('When the token was last used, to the minute; null if it was never used.')),
};

const example = {
  id: '019f5b0e-2f41-7b83-9d10-5c7e8a6b4d22',
  name: 'picker',
  workspaces: ['019f5b0e-1a30-7c52-8f4e-3b6d9c0a7e15'],
  scopes: ['media:read'],
  created_at: '2026-11-21T18:30:00.000Z',
  expires_at: '2026-11-21T19:30:00.000Z',
  revoked_at: null,
  last_used_at: null,
};

export const token = documented(v.object(tokenFields), {
  title: 'TokenResource',
  description: 'An access token, without its text. It is deleted 90 days after it expires.',
  examples: [example],
});

export const tokenWithText = documented(
  v.object({
    ...tokenFields,
    token: documented(v.string(), { description: 'The token’s text, which is shown only in this answer.' }),
  }),
  { title: 'TokenWithTextResource', examples: [{ ...example, token: 'eyJhbGciOiJIUzI1NiJ9.e30.c2lnbmF0dXJl' }] },
);

export const showToken = (item: AccessToken): v.InferInput<typeof token> => ({
  id: item.id,
  name: item.name,
  workspaces: [...item.workspaceIds],
  scopes: [...item.scopes],
  created_at: showTime(item.createdAt),
  expires_at: showTime(item.expiresAt),
  revoked_at: item.revokedAt === null ? null : showTime(item.revokedAt),
  last_used_at: item.lastUsedAt === null ? null : showTime(item.lastUsedAt),
});
