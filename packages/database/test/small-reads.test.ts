import { describe, expect, test } from 'bun:test';
import { closeSync, openSync, readdirSync, readlinkSync, readSync } from 'node:fs';
import { join } from 'node:path';
import { Refusal } from '@postshelf/domain';
import { connect } from '../src/sqlite/connect.ts';
import { Sqlite } from '../src/sqlite/native.ts';
import { SharedReads } from '../src/sqlite/shared-reads.ts';
import { WalIndex } from '../src/sqlite/wal-index.ts';
import { nextTurn, withFile } from './scratch.ts';

/** Commits of the other process. */
const COMMITS = 2_000;

interface Scene {
  readonly reads: SharedReads;
  readonly index: WalIndex;
  /** The number in the database, as the small reads see it. */
  see(): number | undefined;
  /** Commits another one, over a connection of somebody else. */
  commit(number: number): void;
  /** Whether the small reads hold a moment of the database. */
  isHeld(): boolean;
  readonly file: string;
}

/** @param indexOf what the small reads believe about commits */
const withReads = (
  act: (scene: Scene) => Promise<void> | void,
  indexOf = (index: WalIndex): Pick<WalIndex, 'hasChanged'> => index,
): Promise<void> =>
  withFile(async (file) => {
    const other = await connect(file, 0);
    other.exec('create table numbers (number integer); insert into numbers values (0)');
    const connection = await connect(file, 0);
    const index = new WalIndex(file);
    index.open();
    try {
      const reads = new SharedReads(connection, indexOf(index));
      const query = reads.prepare<{ number: number }>('select number from numbers');
      const update = other.prepare('update numbers set number = ?');
      await act({
        reads,
        index,
        see: () => query()[0]?.number,
        commit: (number) => void update.run(number),
        isHeld: () => connection.inTransaction,
        file,
      });
    } finally {
      for (const database of [other, connection]) database.close();
      index.close();
    }
  });

describe('small reads', () => {
  test('of a turn share one moment, which ends with it', () =>
    withReads(async ({ see, commit, isHeld }) => {
      expect(see()).toBe(0);
      commit(1);
      await Promise.resolve();
      expect(see()).toBe(0);
      expect(isHeld()).toBe(true);
      await nextTurn();
      expect(isHeld()).toBe(false);
      expect(see()).toBe(1);
    }));

  test('see what was committed before they were renewed, in one turn too', () =>
    withReads(async ({ reads, see, commit }) => {
      for (let number = 1; number <= 50; number += 1) {
        commit(number);
        reads.renew();
        expect(see()).toBe(number);
        if (number % 10 === 0) await nextTurn();
      }
    }));

  test('keep their moment where nothing was committed', () =>
    withReads(
      ({ reads, see, commit }) => {
        expect(see()).toBe(0);
        commit(1);
        reads.renew();
        expect(see()).toBe(0);
      },
      () => ({ hasChanged: () => false }),
    ));

  test('tell by their version whether they would find anything else', () =>
    withReads(async ({ reads, see, commit }) => {
      const before = reads.version();
      expect(see()).toBe(0);
      reads.renew();
      expect(reads.version()).toBe(before);
      await nextTurn();
      expect(reads.version()).toBe(before);
      commit(1);
      expect(reads.version()).toBe(before);
      reads.renew();
      expect(reads.version()).not.toBe(before);
      expect(see()).toBe(1);
      const behind = reads.version();
      commit(2);
      // Asked for nothing but the version, a turn ends too.
      await nextTurn();
      expect(reads.version()).not.toBe(behind);
    }));

  test('that fail leave no moment, and the next are well', () =>
    withReads(({ reads, see, isHeld }) => {
      expect(see()).toBe(0);
      const broken = reads.prepare('select * from nothing');
      expect(() => broken()).toThrow(Sqlite.SqliteError);
      expect(isHeld()).toBe(false);
      expect(see()).toBe(0);
    }));

  test('are unavailable while somebody has the database to himself, and well behind that', () =>
    withFile(async (file) => {
      const owner = new Sqlite(file, { timeout: 0 });
      owner.exec('create table numbers (number integer)');
      const reader = new Sqlite(file, { timeout: 0 });
      const query = new SharedReads(reader, { hasChanged: () => true }).prepare('select * from numbers');
      owner.exec('begin exclusive');
      expect(() => query()).toThrow(Refusal);
      expect(reader.inTransaction).toBe(false);
      owner.exec('commit');
      expect(query()).toEqual([]);
      // Closed with the moment open, and before the turn ends.
      reader.close();
      await nextTurn();
      owner.close();
    }));

  test('see what another process has committed as soon as it says so', () =>
    withReads(async ({ reads, see, file }) => {
      const said = `${file}.said`;
      await Bun.write(said, new Int32Array(1));
      const descriptor = openSync(said, 'r');
      const program = join(import.meta.dir, 'commit-and-say.ts');
      const child = Bun.spawn([process.execPath, program, file, said, String(COMMITS)], { stdout: 'inherit' });
      const number = new Int32Array(1);
      let looks = 0;
      for (let last = 0; last < COMMITS; looks += 1) {
        readSync(descriptor, number, 0, 4, 0);
        last = number[0] ?? 0;
        reads.renew();
        const seen = see() ?? -1;
        if (seen < last) throw new Error(`${last} was committed, and ${seen} is shown.`);
        // Turns of any length: here the moment outlives hundreds of commits, unless it is given up for them.
        if (looks % 1000 !== 0) continue;
        await nextTurn();
        if (child.exitCode !== null && child.exitCode !== 0) throw new Error('The other process has failed.');
      }
      closeSync(descriptor);
      expect(await child.exited).toBe(0);
      expect(looks).toBeGreaterThan(COMMITS);
    }));
});

describe('the index of the log', () => {
  test('has changed at first, and then with each commit', () =>
    withReads(({ index, commit }) => {
      expect([index.hasChanged(), index.hasChanged()]).toEqual([true, false]);
      for (let number = 1; number <= 20; number += 1) {
        commit(number);
        expect([index.hasChanged(), index.hasChanged()]).toEqual([true, false]);
      }
    }));

  test('is one file for all who look at it, closed by the last, and once', () =>
    withReads(async ({ index, file, commit }) => {
      const descriptors = (): string[] =>
        readdirSync('/proc/self/fd').filter((name) => linkOf(`/proc/self/fd/${name}`) === `${file}-shm`);
      const before = descriptors();
      const another = new WalIndex(file);
      another.open();
      expect(descriptors()).toEqual(before);
      another.close();
      another.close();
      expect(() => another.hasChanged()).toThrow(Refusal);
      expect(descriptors()).toEqual(before);
      index.hasChanged();
      commit(1);
      expect(index.hasChanged()).toBe(true);
      index.close();
      expect(descriptors().length).toBe(before.length - 1);
    }));
});

/** null for a descriptor that is gone. */
function linkOf(name: string): string | null {
  try {
    return readlinkSync(name);
  } catch {
    return null;
  }
}
