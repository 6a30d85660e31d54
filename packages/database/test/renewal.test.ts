import { describe, expect, test } from 'bun:test';
import { readFileSync, statSync } from 'node:fs';
import type { Uuid } from '@postshelf/domain';
import { newId, sampleToken } from '@postshelf/testing';
import { type Database, openSqlite } from '../src/index.ts';
import { connect } from '../src/sqlite/connect.ts';
import { withDatabase } from './scratch.ts';

/** Over a connection of somebody else, and within this turn of the event loop. */
const REVOKE = 'update tokens set revoked_at = ? where id = ?';

/** What makes a database show no less than what was committed before. */
const CAUSES: readonly (readonly [string, (database: Database, id: Uuid) => unknown])[] = [
  ['is told that a request has come', (database) => database.renew()],
  ['has read something else', (database) => database.tokens.list()],
  ['has written', (database, id) => database.tokens.touch(id, 1)],
];

describe('a token that somebody has revoked is found so once the database', () => {
  test.each(CAUSES)('%s', (_, act) =>
    withDatabase(async (database, file) => {
      const token = sampleToken([]);
      await database.tokens.insert(token);
      const other = await connect(file, 0);
      try {
        const revoke = other.prepare(REVOKE);
        for (const at of [5, 6, 7]) {
          await database.tokens.find(token.id);
          revoke.run(at, token.id);
          await act(database, token.id);
          expect((await database.tokens.find(token.id))?.revokedAt).toBe(at);
        }
      } finally {
        other.close();
      }
    }),
  );
});

test('what the process itself has committed is found in the same turn', () =>
  withDatabase(async (database) => {
    for (let count = 0; count < 20; count += 1) {
      const token = sampleToken([]);
      expect(await database.tokens.find(token.id)).toBeNull();
      await database.tokens.insert(token);
      expect(await database.tokens.find(token.id)).toEqual(token);
      await database.tokens.revoke(token.id, 3);
      expect(await database.tokens.find(token.id)).toEqual({ ...token, revokedAt: 3 });
    }
  }));

test('databases over one file, closed in any order, keep the locks of those that stay open', () =>
  withDatabase(async (first, file) => {
    const { ino } = statSync(`${file}-shm`);
    const locks = (): number => readFileSync('/proc/locks', 'utf8').split(`:${ino} `).length - 1;
    const others = await Promise.all([openSqlite(file), openSqlite(file)]);
    for (const other of others) {
      await other.tokens.find(newId());
      await other.close();
      await first.tokens.find(newId());
      // Behind the turn that holds what was found by locks of its own.
      await new Promise((resolve) => setImmediate(resolve));
      // Without this lock the next process would think itself alone, and cut the index under all others.
      expect(locks()).toBeGreaterThan(0);
    }
  }));
