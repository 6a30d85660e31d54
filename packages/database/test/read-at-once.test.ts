import { expect, test } from 'bun:test';
import { newId, sampleToken } from '@postshelf/testing/contracts/samples';
import { repositories } from '../src/repositories.ts';
import { openStore } from '../src/sqlite/store.ts';
import { withDatabase } from './scratch.ts';

test('a token that is revoked while a snapshot is open is found revoked', () =>
  withDatabase(async (other, file) => {
    const store = await openStore(file, 5000);
    try {
      const { tokens } = repositories(store);
      const token = sampleToken([]);
      await tokens.insert(token);
      expect(store.readAtOnce).toBeDefined();
      await store.snapshot(async (moment) => {
        expect(await moment.selectFrom('tokens').select('revoked_at').execute()).toEqual([{ revoked_at: null }]);
        await other.tokens.revoke(token.id, 1);
        expect(await tokens.find(token.id)).toEqual({ ...token, revokedAt: 1 });
        expect(await moment.selectFrom('tokens').select('revoked_at').execute()).toEqual([{ revoked_at: null }]);
      });
      expect(await tokens.find(token.id)).toEqual({ ...token, revokedAt: 1 });
      expect(await tokens.find(newId())).toBeNull();
    } finally {
      await store.close();
    }
  }));
