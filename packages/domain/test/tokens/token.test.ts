import { describe, expect, test } from 'bun:test';
import fc from 'fast-check';
import {
  type AccessToken,
  hasAccessTo,
  isLive,
  LAST_USED_GRANULARITY,
  SCOPES,
  TOKEN_LIFETIME,
} from '../../src/index.ts';
import { anyUuid, uuid } from '../support/arbitraries.ts';

const DAY = 24 * 60 * 60 * 1000;
const ISSUED = Date.UTC(2026, 0, 1);
const HOME = uuid('01890a5d-ac96-774b-bcce-b302099a8057');

const token: AccessToken = {
  id: uuid('01890a5d-ac96-774b-bcce-b302099a8058'),
  name: 'laptop',
  scopes: SCOPES,
  workspaceIds: [HOME],
  createdAt: ISSUED,
  expiresAt: ISSUED + TOKEN_LIFETIME.default,
  revokedAt: null,
  lastUsedAt: null,
};

test('a token lasts 90 days by default and 365 at most, and its last use is kept to the minute', () => {
  expect(TOKEN_LIFETIME).toEqual({ default: 90 * DAY, max: 365 * DAY });
  expect(LAST_USED_GRANULARITY).toBe(60_000);
});

describe('isLive', () => {
  test('is true until, but not at, the millisecond of expiry (RFC 7519 section 4.1.4)', () => {
    expect(isLive(token, ISSUED)).toBe(true);
    expect(isLive(token, token.expiresAt - 1)).toBe(true);
    expect(isLive(token, token.expiresAt)).toBe(false);
    expect(isLive(token, token.expiresAt + 1)).toBe(false);
  });

  test('is false once the token is revoked, even if the clock is set back', () => {
    fc.assert(
      fc.property(fc.integer(), fc.integer(), (revoked, now) => {
        expect(isLive({ ...token, revokedAt: ISSUED + revoked }, ISSUED + now)).toBe(false);
      }),
    );
  });
});

test('a token has access to its own workspaces and no other', () => {
  const [other] = fc.sample(
    anyUuid.filter((id) => id !== HOME),
    1,
  );
  expect(hasAccessTo(token, HOME)).toBe(true);
  expect(other && hasAccessTo(token, other)).toBe(false);
  expect(hasAccessTo({ ...token, workspaceIds: [] }, HOME)).toBe(false);
});
