import { describe, expect, test } from 'bun:test';
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

    test('finds null where there is none', async () => {
      expect(await stores.one.tokens.find(newId())).toBeNull();
    });

    test('keeps a token without scopes and workspaces', async () => {
      const token = sampleToken([], { scopes: [] });
      await stores.one.tokens.insert(token);
      expect(await stores.one.tokens.find(token.id)).toEqual(token);
      expect(await stores.one.tokens.list()).toEqual([token]);
    });

    test('finds revoked and expired tokens too', async () => {
      const token = await addToken({ expiresAt: NOW - 1, revokedAt: NOW, lastUsedAt: NOW - 2 });
      expect(await stores.two.tokens.find(token.id)).toEqual(token);
    });

    test('throws when a workspace does not exist, and keeps nothing', async () => {
      const token = sampleToken([(await addWorkspace(stores.one)).id, newId()]);
      await expect(stores.one.tokens.insert(token)).rejects.toThrow();
      expect(await stores.one.tokens.find(token.id)).toBeNull();
    });

    test('throws when the id is taken, and changes nothing', async () => {
      const token = await addToken();
      const other = await addWorkspace(stores.one);
      await expect(stores.two.tokens.insert({ ...token, workspaceIds: [other.id] })).rejects.toThrow();
      expect(await stores.one.tokens.find(token.id)).toEqual(token);
    });

    test('lists all, oldest first', async () => {
      const second = await addToken({ createdAt: NOW + 2 });
      const third = await addToken({ createdAt: NOW + 3, revokedAt: NOW + 4 });
      const first = await addToken({ createdAt: NOW + 1, expiresAt: 0 });
      expect(await stores.two.tokens.list()).toEqual([first, second, third]);
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

      test('is true for both of two at once, and one time stays', async () => {
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

      test('is false for an unknown token, and touches no other', async () => {
        const token = await addToken();
        expect(await stores.one.tokens.revoke(newId(), NOW)).toBe(false);
        expect(await stores.one.tokens.find(token.id)).toEqual(token);
      });
    });

    describe('touch', () => {
      test('writes the time down', async () => {
        const token = await addToken();
        await stores.one.tokens.touch(token.id, NOW + 1);
        expect(await stores.two.tokens.find(token.id)).toEqual({ ...token, lastUsedAt: NOW + 1 });
      });

      test('leaves a later time', async () => {
        const token = await addToken({ lastUsedAt: NOW + 5 });
        await stores.one.tokens.touch(token.id, NOW + 4);
        expect((await stores.two.tokens.find(token.id))?.lastUsedAt).toBe(NOW + 5);
      });

      test('of many at once leaves the latest time', async () => {
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
