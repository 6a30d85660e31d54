import { describe, expect, test } from 'bun:test';
import { closeSync, openSync, readSync } from 'node:fs';
import { join } from 'node:path';
import { Refusal } from '@postshelf/domain';
import { sampleToken } from '@postshelf/testing/contracts/samples';
import type { Database } from 'better-sqlite3';
import { repositories } from '../../src/repositories.ts';
import { Durability } from '../../src/sqlite/commits/durability.ts';
import { connect } from '../../src/sqlite/connection/connect.ts';
import { Sqlite } from '../../src/sqlite/connection/native.ts';
import { prepareLookup } from '../../src/sqlite/connection/statements.ts';
import { openStore } from '../../src/sqlite/store.ts';
import { nextTurn, withDatabase, withFile } from '../support/scratch.ts';

/** The number of commits that the other process makes. */
const COMMITS = 2_000;

type NumberRows = readonly { readonly number: number }[];

interface Scene {
  readonly connection: Database;
  /** Reads the number in the database with a look-up. */
  see(): NumberRows;
  /** Commits a different number on another connection. */
  commit(number: number): void;
  readonly file: string;
}

const versionsOf = (connection: Database) => new Durability({ sync: async () => undefined }, connection);

const withReads = (act: (scene: Scene) => Promise<void> | void): Promise<void> =>
  withFile(async (file) => {
    const other = await connect(file, 0);
    other.exec('create table numbers (number integer); insert into numbers values (0)');
    const connection = await connect(file, 0);
    const see = prepareLookup<NumberRows[number]>(connection, 'select number from numbers', versionsOf(connection));
    const update = other.prepare('update numbers set number = ?');
    try {
      await act({ connection, see, commit: (number) => void update.run(number), file });
    } finally {
      for (const database of [other, connection]) database.close();
    }
  });

describe('lookups', () => {
  test('see everything that was committed before them', () =>
    withReads(async ({ see, commit }) => {
      for (let number = 1; number <= 50; number += 1) {
        commit(number);
        for (let times = 0; times < 2; times += 1) expect(see()).toEqual([{ number }]);
        await nextTurn();
      }
    }));

  test('see no commits of the turn of the event loop in which they already answered', () =>
    withReads(async ({ see, commit }) => {
      for (let times = 0; times < 2; times += 1) expect(see()).toEqual([{ number: 0 }]);
      commit(1);
      expect(see()).toEqual([{ number: 0 }]);
      await nextTurn();
      expect(see()).toEqual([{ number: 1 }]);
    }));

  test("that fail don't affect the next ones", () =>
    withReads(({ connection, see }) => {
      const broken = prepareLookup(connection, 'select * from nothing', versionsOf(connection));
      expect(() => broken()).toThrow(Sqlite.SqliteError);
      expect(see()).toEqual([{ number: 0 }]);
    }));

  test('fail as unavailable while another connection has an exclusive lock', () =>
    withFile(async (file) => {
      const owner = new Sqlite(file, { timeout: 0 });
      owner.exec('create table numbers (number integer)');
      const reader = new Sqlite(file, { timeout: 0 });
      const query = prepareLookup(reader, 'select * from numbers', versionsOf(reader));
      owner.exec('begin exclusive');
      expect(() => query()).toThrow(Refusal);
      owner.exec('commit');
      expect(query()).toEqual([]);
      for (const database of [owner, reader]) database.close();
    }));

  test("see another process's commit as soon as it is acknowledged", () =>
    withReads(async ({ see, file }) => {
      const said = `${file}.said`;
      await Bun.write(said, new Int32Array(1));
      const descriptor = openSync(said, 'r');
      const program = join(import.meta.dir, '../fixtures/commit-and-say.ts');
      const child = Bun.spawn([process.execPath, program, file, said, String(COMMITS)], { stdout: 'inherit' });
      const number = new Int32Array(1);
      let looks = 0;
      for (let last = 0; last < COMMITS; looks += 1) {
        // The acknowledged number is read synchronously, before the look-up in the same turn. A request, too, arrives
        // before the turn in which it is answered.
        readSync(descriptor, number, 0, 4, 0);
        last = number[0] ?? 0;
        const seen = see()[0]?.number ?? -1;
        if (seen < last) throw new Error(`${last} was committed, but ${seen} was read.`);
        await nextTurn();
        if (child.exitCode !== null && child.exitCode !== 0) throw new Error('The other process has failed.');
      }
      closeSync(descriptor);
      expect(await child.exited).toBe(0);
      expect(looks).toBeGreaterThan(COMMITS);
    }));

  test('see everything committed before their own request, even while other requests are answered', () =>
    withReads(async ({ see, file }) => {
      const server = Bun.serve({ hostname: '127.0.0.1', port: 0, fetch: () => new Response(String(see()[0]?.number)) });
      const program = join(import.meta.dir, '../fixtures/commit-and-ask.ts');
      const child = Bun.spawn([process.execPath, program, file, server.url.href, '500'], { stderr: 'inherit' });
      let isOver = false;
      const others = Array.from({ length: 8 }, async () => {
        while (!isOver) await (await fetch(server.url)).text();
      });
      expect(await child.exited).toBe(0);
      isOver = true;
      await Promise.all(others);
      await server.stop(true);
    }));
});

test('a token is found in its current state, even after its revocation and during an open snapshot', () =>
  withDatabase(async (other, file) => {
    const store = await openStore(file, 5000);
    try {
      const { tokens } = repositories(store);
      const token = sampleToken([]);
      expect(await tokens.find(token.id)).toBeNull();
      await tokens.insert(token);
      await store.read(async (snapshot) => {
        const revokedAt = () => snapshot.selectFrom('tokens').select('revoked_at').executeTakeFirstOrThrow();
        expect(await revokedAt()).toEqual({ revoked_at: null });
        expect(await tokens.find(token.id)).toEqual(token);
        await other.tokens.revoke(token.id, 1);
        expect(await tokens.find(token.id)).toEqual({ ...token, revokedAt: 1 });
        expect(await revokedAt()).toEqual({ revoked_at: null });
      });
      await tokens.touch(token.id, 2);
      expect(await tokens.find(token.id)).toEqual({ ...token, revokedAt: 1, lastUsedAt: 2 });
    } finally {
      await store.close();
    }
  }));
