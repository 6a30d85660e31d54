import { describe, expect, test } from 'bun:test';
import type { AccessToken, TokenFilter } from '@postshelf/domain';
import { outcomeOf } from '../../outcomes.ts';
import { addWorkspace, NOW, newId, sampleToken } from '../samples.ts';
import { type OpenStores, storesOfEachTest } from '../stores.ts';

/** The contract of {@link TokenRepository}. */
export function describeTokenRepository(name: string, open: OpenStores): void {
  describe(`${name}: token repository`, () => {
    const stores = storesOfEachTest(open);

    const addToken = async (details = {}) => {
      const token = sampleToken([(await addWorkspace(stores.one)).id], details);
      await stores.one.tokens.insert(token);
      return token;
    };

    test('keeps a token as it was given, for every instance', async () => {
      const first = await addWorkspace(stores.one);
      const second = await addWorkspace(stores.one);
      const token = sampleToken([second.id, first.id], { scopes: ['analytics:write', 'media:read'] });
      await stores.one.tokens.insert(token);
      expect(await stores.one.tokens.find(token.id)).toEqual(token);
      expect(await stores.two.tokens.find(token.id)).toEqual(token);
    });

    test('returns null for an unknown token', async () => {
      expect(await stores.one.tokens.find(newId())).toBeNull();
    });

    test('keeps a token without scopes and workspaces', async () => {
      const token = sampleToken([], { scopes: [] });
      await stores.one.tokens.insert(token);
      expect(await stores.one.tokens.find(token.id)).toEqual(token);
      expect(await stores.one.tokens.list()).toEqual([token]);
    });

    test('also finds revoked and expired tokens', async () => {
      const token = await addToken({ expiresAt: NOW - 1, revokedAt: NOW, lastUsedAt: NOW - 2 });
      expect(await stores.two.tokens.find(token.id)).toEqual(token);
    });

    test('throws when a workspace does not exist, and keeps nothing', async () => {
      const token = sampleToken([(await addWorkspace(stores.one)).id, newId()]);
      expect(await outcomeOf(stores.one.tokens.insert(token))).toThrow();
      expect(await stores.one.tokens.find(token.id)).toBeNull();
    });

    test('throws when the id is taken, and changes nothing', async () => {
      const token = await addToken();
      const other = await addWorkspace(stores.one);
      expect(await outcomeOf(stores.two.tokens.insert({ ...token, workspaceIds: [other.id] }))).toThrow();
      expect(await stores.one.tokens.find(token.id)).toEqual(token);
    });

    test('lists all, oldest first', async () => {
      const second = await addToken({ createdAt: NOW + 2 });
      const third = await addToken({ createdAt: NOW + 3, revokedAt: NOW + 4 });
      const first = await addToken({ createdAt: NOW + 1, expiresAt: 0 });
      expect(await stores.two.tokens.list()).toEqual([first, second, third]);
    });

    test('lists pages by workspace and name, newest first, without operator tokens', async () => {
      const [home, away] = [await addWorkspace(stores.one), await addWorkspace(stores.one)];
      const add = async (createdAt: number, name: string, ids = [home.id], scopes: AccessToken['scopes'] = []) => {
        const token = sampleToken(ids, { createdAt, name, scopes });
        await stores.one.tokens.insert(token);
        return token;
      };
      const first = await add(1, 'a');
      const second = await add(2, 'b', [away.id, home.id]);
      const third = await add(3, 'a', [away.id]);
      const fourth = await add(4, 'a', [], ['operator']);
      const page = (filter: TokenFilter, offset = 0) => stores.two.tokens.page(filter, { offset, limit: 2 });
      expect(await page({})).toEqual({ items: [third, second], total: 3 });
      expect(await page({}, 2)).toEqual({ items: [first], total: 3 });
      expect(await page({ workspaceId: home.id })).toEqual({ items: [second, first], total: 2 });
      expect(await page({ name: 'a' })).toEqual({ items: [third, first], total: 2 });
      expect(await page({ name: 'a', workspaceId: away.id })).toEqual({ items: [third], total: 1 });
      expect(await page({ name: 'A' })).toEqual({ items: [], total: 0 });
      expect(await page({ withOperators: true })).toEqual({ items: [fourth, third], total: 4 });
    });

    describe('rotate', () => {
      const rotation = (token: AccessToken, oldEndsAt: number) => ({
        token: sampleToken(token.workspaceIds, { createdAt: NOW + 1 }),
        oldEndsAt,
        now: NOW,
        completion: undefined,
      });

      test('keeps the new token, and ends the old one and its sessions at the given time', async () => {
        const token = await addToken({ expiresAt: NOW + 9 });
        const session = {
          id: newId(),
          tokenId: token.id,
          name: 'x',
          createdAt: NOW,
          expiresAt: NOW + 9,
          lastUsedAt: null,
        };
        await stores.one.sessions.insert(session, {
          hash: 'hash',
          grounds: { kind: 'token', codeHash: null },
          replacedHash: null,
        });
        // This read caches the token before the change.
        expect(await stores.two.tokens.find(token.id)).toEqual(token);
        const change = rotation(token, NOW + 5);
        expect(await stores.one.tokens.rotate(token.id, change)).toBe(true);
        expect(await stores.two.tokens.find(change.token.id)).toEqual(change.token);
        expect(await stores.two.tokens.find(token.id)).toEqual({ ...token, expiresAt: NOW + 5 });
        expect((await stores.two.sessions.find('hash'))?.expiresAt).toBe(NOW + 5);
      });

      test('revokes the old token without an overlap, and never extends it', async () => {
        const [one, two] = [await addToken({ expiresAt: NOW + 3 }), await addToken({ expiresAt: NOW + 3 })];
        await stores.one.tokens.rotate(one.id, rotation(one, NOW));
        expect(await stores.two.tokens.find(one.id)).toEqual({ ...one, revokedAt: NOW });
        await stores.one.tokens.rotate(two.id, rotation(two, NOW + 5));
        expect(await stores.two.tokens.find(two.id)).toEqual(two);
      });

      test('succeeds for one of two concurrent calls, and for no token that has ended', async () => {
        const token = await addToken({ expiresAt: NOW + 9 });
        const rotations = [rotation(token, NOW + 1), rotation(token, NOW + 1)] as const;
        const done = await Promise.all([
          stores.one.tokens.rotate(token.id, rotations[0]),
          stores.two.tokens.rotate(token.id, rotations[1]),
        ]);
        expect(done.toSorted()).toEqual([false, true]);
        expect(await stores.one.tokens.list()).toHaveLength(2);
        const ended = [await addToken({ expiresAt: NOW }), await addToken({ expiresAt: NOW + 9, revokedAt: NOW })];
        for (const each of ended) expect(await stores.one.tokens.rotate(each.id, rotation(each, NOW))).toBe(false);
        expect(await stores.one.tokens.rotate(newId(), rotation(token, NOW))).toBe(false);
        expect(await stores.one.tokens.list()).toHaveLength(4);
      });
    });

    test('prunes tokens that expired before a time, the oldest first', async () => {
      const [second, first, kept] = [NOW - 2, NOW - 3, NOW].map((expiresAt) => ({ expiresAt }));
      const tokens = [await addToken(second), await addToken(first), await addToken(kept)];
      expect(await stores.two.tokens.prune(NOW, 1)).toBe(1);
      expect(await stores.one.tokens.find(tokens[1]?.id ?? newId())).toBeNull();
      expect(await stores.two.tokens.prune(NOW, 9)).toBe(1);
      expect(await stores.one.tokens.list()).toEqual([tokens[2]] as never);
    });

    describe('revoke', () => {
      test('is seen by every find that starts after it', async () => {
        const token = await addToken();
        expect(await stores.one.tokens.revoke(token.id, NOW + 5)).toBe(true);
        expect(await stores.two.tokens.find(token.id)).toEqual({ ...token, revokedAt: NOW + 5 });
        expect(await stores.one.tokens.find(token.id)).toEqual({ ...token, revokedAt: NOW + 5 });
      });

      test('keeps the first time when it is repeated', async () => {
        const token = await addToken();
        await stores.one.tokens.revoke(token.id, NOW + 5);
        expect(await stores.two.tokens.revoke(token.id, NOW + 9)).toBe(true);
        expect(await stores.two.tokens.revoke(token.id, NOW + 1)).toBe(true);
        expect((await stores.one.tokens.find(token.id))?.revokedAt).toBe(NOW + 5);
      });

      test('is true for both of two concurrent calls, and keeps one time', async () => {
        const token = await addToken();
        const answers = await Promise.all([
          stores.one.tokens.revoke(token.id, NOW + 1),
          stores.two.tokens.revoke(token.id, NOW + 2),
        ]);
        expect(answers).toEqual([true, true]);
        const kept = (await stores.one.tokens.find(token.id))?.revokedAt;
        expect([NOW + 1, NOW + 2]).toContain(kept ?? 0);
        expect((await stores.two.tokens.find(token.id))?.revokedAt).toBe(kept);
      });

      test('is false for an unknown token, and changes no other', async () => {
        const token = await addToken();
        expect(await stores.one.tokens.revoke(newId(), NOW)).toBe(false);
        expect(await stores.one.tokens.find(token.id)).toEqual(token);
      });
    });

    describe('touch', () => {
      test('records the time', async () => {
        const token = await addToken();
        await stores.one.tokens.touch(token.id, NOW + 1);
        expect(await stores.two.tokens.find(token.id)).toEqual({ ...token, lastUsedAt: NOW + 1 });
      });

      test('keeps a later time', async () => {
        const token = await addToken({ lastUsedAt: NOW + 5 });
        await stores.one.tokens.touch(token.id, NOW + 4);
        expect((await stores.two.tokens.find(token.id))?.lastUsedAt).toBe(NOW + 5);
      });

      test('keeps the latest of many concurrent times', async () => {
        const token = await addToken();
        const times = [3, 1, 9, 4, 7, 2];
        await Promise.all(
          times.map((time, index) => (index % 2 ? stores.one : stores.two).tokens.touch(token.id, NOW + time)),
        );
        expect((await stores.one.tokens.find(token.id))?.lastUsedAt).toBe(NOW + 9);
      });

      test('changes nothing for an unknown token', async () => {
        const token = await addToken();
        await stores.one.tokens.touch(newId(), NOW);
        expect(await stores.one.tokens.list()).toEqual([token]);
      });
    });
  });
}
