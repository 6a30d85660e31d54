import { describe, expect, test } from 'bun:test';
import { MAX_SESSIONS, type Session, type SessionStart, type Uuid } from '@postshelf/domain';
import { testRace } from '../race.ts';
import { addWorkspace, NOW, newId, sampleToken } from '../samples.ts';
import { type OpenStores, type Stores, storesOfEachTest } from '../stores.ts';

const LIFE = 1_000;

const sampleSession = (tokenId: Uuid, details: Partial<Session> = {}): Session => ({
  id: newId(),
  tokenId,
  name: 'Café 😀',
  createdAt: NOW,
  expiresAt: NOW + LIFE,
  lastUsedAt: null,
  ...details,
});

const startOf = (hash: string, details: Partial<SessionStart> = {}): SessionStart => ({
  hash,
  grounds: { kind: 'token', codeHash: null },
  replacedHash: null,
  ...details,
});

const PAGE = { offset: 0, limit: 10 };

/** The contract of {@link SessionRepository}. */
export function describeSessionRepository(name: string, open: OpenStores): void {
  describe(`${name}: session repository`, () => {
    const stores = storesOfEachTest(open);

    const addToken = async (): Promise<Uuid> => {
      const token = sampleToken([(await addWorkspace(stores.one)).id]);
      await stores.one.tokens.insert(token);
      return token.id;
    };
    const addCode = async (tokenId: Uuid, hash: string): Promise<void> =>
      stores.one.sessions.insertCode({ id: newId(), hash, tokenId, expiresAt: NOW + LIFE });
    const namesOf = async (tokenId: Uuid, now = NOW): Promise<readonly string[]> =>
      (await stores.two.sessions.list({ tokenId }, now, PAGE)).items.map(({ name }) => name);

    test('keeps sessions for every instance, and lists the valid ones of a token, newest first', async () => {
      const [tokenId, other] = [await addToken(), await addToken()];
      const first = sampleSession(tokenId, { name: 'first' });
      const second = sampleSession(tokenId, {
        name: 'second',
        createdAt: NOW + 1,
        expiresAt: NOW + 2,
        lastUsedAt: NOW,
      });
      await stores.one.sessions.insert(second, startOf('b'));
      await stores.one.sessions.insert(first, startOf('a'));
      await stores.one.sessions.insert(sampleSession(other), startOf('c'));
      expect([await stores.two.sessions.find('a'), await stores.two.sessions.find('b')]).toEqual([first, second]);
      expect(await stores.two.sessions.find('d')).toBeNull();
      expect(await namesOf(tokenId)).toEqual(['second', 'first']);
      expect(await namesOf(tokenId, NOW + 2)).toEqual(['first']);
      expect(await stores.one.sessions.list({ tokenId }, NOW, { offset: 1, limit: 1 })).toEqual({
        items: [first],
        total: 2,
      });
      expect(await stores.one.sessions.list({ tokenId }, NOW, { offset: 2, limit: 1 })).toEqual({
        items: [],
        total: 2,
      });
    });

    test('ends only the session that a new one replaces, and a token’s oldest beyond the limit', async () => {
      const [tokenId, other] = [await addToken(), await addToken()];
      await stores.one.sessions.insert(sampleSession(other, { createdAt: 0 }), startOf('other'));
      for (let n = 0; n < MAX_SESSIONS; n += 1) {
        await stores.one.sessions.insert(sampleSession(tokenId, { createdAt: NOW + n }), startOf(`${n}`));
      }
      const next = (hash: string, replacedHash: string | null) =>
        stores.two.sessions.insert(sampleSession(tokenId, { createdAt: NOW + 99 }), startOf(hash, { replacedHash }));
      expect(await next('replacing', '7')).toBe(true);
      const isThere = async (...hashes: readonly string[]) =>
        Promise.all(hashes.map(async (hash) => (await stores.one.sessions.find(hash)) !== null));
      expect(await isThere('0', '7', 'replacing', 'other')).toEqual([true, false, true, true]);
      expect(await next('more', null)).toBe(true);
      expect(await isThere('0', '1', 'replacing', 'more', 'other')).toEqual([false, true, true, true, true]);
      // The clock was set back. The oldest of the other sessions ends, not the one that starts.
      await stores.one.sessions.insert(sampleSession(tokenId, { createdAt: NOW - 1 }), startOf('back'));
      expect(await isThere('1', '2', 'back', 'other')).toEqual([false, true, true, true]);
    });

    test('deletes only sessions of the token, and records the latest use', async () => {
      const [tokenId, other] = [await addToken(), await addToken()];
      const kept = sampleSession(tokenId);
      await stores.one.sessions.insert(kept, startOf('a'));
      for (const at of [NOW + 5, NOW + 3]) await stores.two.sessions.touch(kept.id, at);
      await stores.two.sessions.touch(newId(), NOW);
      expect((await stores.one.sessions.find('a'))?.lastUsedAt).toBe(NOW + 5);
      expect(await stores.two.sessions.end({ tokenId: other }, kept.id)).toBe(false);
      expect(await stores.two.sessions.end({ tokenId }, newId())).toBe(false);
      expect(await stores.two.sessions.end({ tokenId }, kept.id)).toBe(true);
      expect(await stores.one.sessions.find('a')).toBeNull();
      expect(await stores.two.sessions.end({ tokenId }, kept.id)).toBe(false);
    });

    test('uses up a code with the session that it starts, or does neither', async () => {
      const tokenId = await addToken();
      await addCode(tokenId, 'code');
      expect(await stores.two.sessions.findCode('code')).toMatchObject({ tokenId, expiresAt: NOW + LIFE });
      const begin = (hash: string) =>
        stores.one.sessions.insert(
          sampleSession(tokenId),
          startOf(hash, { grounds: { kind: 'token', codeHash: 'code' }, replacedHash: 'one' }),
        );
      expect(await begin('one')).toBe(true);
      expect(await stores.two.sessions.findCode('code')).toBeNull();
      expect(await begin('two')).toBe(false);
      // The refused second session didn't end the session that it would have replaced.
      expect([await stores.one.sessions.find('one'), await stores.one.sessions.find('two')]).toEqual([
        expect.anything(),
        null,
      ]);
    });

    testRace(stores, 'starts one session for a code that two callers use', async (race) => {
      const tokenId = await addToken();
      const codeHash = newId();
      await addCode(tokenId, codeHash);
      const begin = ({ sessions }: Stores) =>
        sessions.insert(sampleSession(tokenId), startOf(newId(), { grounds: { kind: 'token', codeHash } }));
      const begun = await race(begin, begin);
      expect(begun.toSorted()).toEqual([false, true]);
      expect((await namesOf(tokenId)).length).toBe(1);
    });

    test('ends sessions of a revoked token immediately, and prunes expired ones', async () => {
      const [revoked, live] = [await addToken(), await addToken()];
      for (const [tokenId, hash] of [[revoked, 'r'] as const, [live, 'l'] as const]) {
        await stores.one.sessions.insert(sampleSession(tokenId), startOf(hash));
        await addCode(tokenId, `code ${hash}`);
      }
      await stores.one.tokens.revoke(revoked, NOW);
      const left = async () => {
        const { sessions } = stores.two;
        const found = [await sessions.find('r'), await sessions.findCode('code r')];
        return [...found, await sessions.find('l'), await sessions.findCode('code l')].map((each) => each !== null);
      };
      expect(await left()).toEqual([false, false, true, true]);
      await stores.one.sessions.insert(sampleSession(live, { expiresAt: NOW + LIFE + 1 }), startOf('longer'));
      expect(await stores.one.sessions.prune(NOW + LIFE - 1, 10)).toBe(0);
      expect(await stores.one.sessions.prune(NOW + LIFE, 10)).toBe(2);
      expect(await left()).toEqual([false, false, false, false]);
      expect(await stores.one.sessions.find('longer')).not.toBeNull();
    });
  });
}
