import { expect, test } from 'bun:test';
import { isScope, isWorkspaceScope, OPERATOR, SCOPES } from '../../src/index.ts';

test('SCOPES are read and write scopes for five kinds of resources', () => {
  expect([...SCOPES].sort()).toEqual([
    'analytics:read',
    'analytics:write',
    'folders:read',
    'folders:write',
    'media:read',
    'media:write',
    'people:read',
    'people:write',
    'webhooks:read',
    'webhooks:write',
  ]);
  for (const scope of SCOPES) expect(isScope(scope)).toBe(true);
});

test.each(['', 'media', 'media:*', '*', 'MEDIA:READ', 'media:read ', 'media:read,media:write', 'posts:read', 'length'])(
  '%p is not a scope',
  (text) => {
    expect(isScope(text)).toBe(false);
  },
);

test('the operator scope is a scope, but not one for workspace tokens', () => {
  expect([isScope(OPERATOR), isWorkspaceScope(OPERATOR)]).toEqual([true, false]);
});
