import { expect, test } from 'bun:test';
import { isScope, SCOPES } from '../../src/index.ts';

test('the scopes', () => {
  expect([...SCOPES].sort()).toEqual([
    'analytics:read',
    'analytics:write',
    'folders:read',
    'folders:write',
    'media:read',
    'media:write',
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
