import { describe, expect, test } from 'bun:test';
import { readdirSync, readFileSync, statSync, symlinkSync } from 'node:fs';
import type { Uuid } from '@postshelf/domain';
import { newId, sampleToken } from '@postshelf/testing/contracts/samples';
import { type Database, openSqlite, UnusableDatabase } from '../src/index.ts';
import { connect } from '../src/sqlite/connect.ts';
import { nextTurn, withDatabase, withFile } from './scratch.ts';

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

/** How many locks this machine's processes have on the index of a database's log, once no read holds any. */
async function locksOn(file: string): Promise<number> {
  await nextTurn();
  const { ino } = statSync(`${file}-shm`);
  return readFileSync('/proc/locks', 'utf8').split(`:${ino} `).length - 1;
}

// Without a lock the next process would think itself alone, and cut the index under all others.
describe('a database keeps its lock', () => {
  test('while others over the file are closed, in any order', () =>
    withDatabase(async (first, file) => {
      const others = await Promise.all([openSqlite(file), openSqlite(file)]);
      for (const other of others) {
        await other.tokens.find(newId());
        await other.close();
        await first.tokens.find(newId());
        expect(await locksOn(file)).toBe(1);
      }
    }));

  test.each([
    ['before', 0],
    ['while', 1],
    ['after', 2],
  ])('that is opened %s the last one is closed', (_, wait) =>
    withFile(async (file) => {
      let open = await openSqlite(file);
      await open.migrate();
      for (let round = 0; round < 10; round += 1) {
        const opening = wait === 0 ? openSqlite(file) : null;
        const closing = open.close();
        if (wait === 2) await closing;
        const next = await (opening ?? openSqlite(file));
        await closing;
        await next.tokens.find(newId());
        expect(await locksOn(file)).toBe(1);
        open = next;
      }
      await open.close();
      await open.close();
    }),
  );

  test('while a copy of it ends', () =>
    withDatabase(async (database, file) => {
      const copy = await database.backups?.copyTo(`${file}.copy`);
      expect(await locksOn(file)).toBe(1);
      await copy?.discard();
      expect(await locksOn(file)).toBe(1);
    }));
});

test('a database that cannot be opened leaves no file open', () =>
  withFile(async (file) => {
    await (await openSqlite(file)).close();
    // SQLite puts its files beside what a link leads to.
    const link = `${file}.link`;
    symlinkSync(file, link);
    const before = readdirSync('/proc/self/fd').length;
    for (let count = 0; count < 3; count += 1) await expect(openSqlite(link)).rejects.toThrow(UnusableDatabase);
    expect(readdirSync('/proc/self/fd').length).toBe(before);
  }));
