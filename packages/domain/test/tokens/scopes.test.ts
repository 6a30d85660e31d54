import { expect, test } from 'bun:test';
import { isScope, isWorkspaceScope, OPERATOR, SCOPES } from '../../src/index.ts';

test('the scopes', () => {
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
  '%p is no scope',
  (text) => {
    expect(isScope(text)).toBe(false);
  },
);

test('that of operators is a scope, but none that tokens of workspaces have', () => {
  expect([isScope(OPERATOR), isWorkspaceScope(OPERATOR)]).toEqual([true, false]);
});
