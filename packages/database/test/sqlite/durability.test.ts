import { describe, expect, test } from 'bun:test';
import { newId, sampleImage } from '@postshelf/testing/contracts/samples';
import { repositories } from '../../src/repositories.ts';
import { connect } from '../../src/sqlite/connect.ts';
import { Durability } from '../../src/sqlite/durability.ts';
import { LogSync } from '../../src/sqlite/log-sync.ts';
import { SmallReads } from '../../src/sqlite/small-reads.ts';
import { openStore } from '../../src/sqlite/store.ts';
import { disk, type Waiting } from '../support/disk.ts';
import { nextTurn, withDatabase, withFile } from '../support/scratch.ts';

interface Scene {
  readonly durability: Durability;
  /** Commits another number over another connection. */
  commit(number: number): void;
  /** Reads the number by the small reads. */
  see(): number | undefined;
  /** Syncs in progress. */
  readonly waiting: Waiting[];
}

const withNumbers = (act: (scene: Scene) => Promise<void>): Promise<void> =>
  withFile(async (file) => {
    const other = await connect(file, 0);
    other.exec('create table numbers (number integer); insert into numbers values (0)');
    const connection = await connect(file, 0);
    const { waiting, sync } = disk();
    const [reads, log] = [new SmallReads(connection), new LogSync(file, sync)];
    const select = reads.prepare<{ readonly number: number }>('select number from numbers');
    const update = other.prepare('update numbers set number = ?');
    try {
      await act({
        durability: new Durability(log, reads),
        commit: (number) => void update.run(number),
        see: () => select()[0]?.number,
        waiting,
      });
    } finally {
      await log.close();
      for (const database of [other, connection]) database.close();
    }
  });

describe('a row', () => {
  test('is durable after a sync that began once it was read, and then until a newer row is read', () =>
    withNumbers(async ({ durability, commit, see, waiting }) => {
      for (const number of [1, 2]) {
        commit(number);
        expect(see()).toBe(number);
        const durable = durability.whenRowDurable(Date.now());
        expect(waiting).toHaveLength(1);
        let isTold = false;
        const told = durable?.then(() => {
          isTold = true;
        });
        await nextTurn();
        expect(isTold).toBe(false);
        waiting[0]?.resolve();
        await told;
        expect(durability.whenRowDurable(Date.now())).toBeNull();
        expect(see()).toBe(number);
        expect(durability.whenRowDurable(Date.now())).toBeNull();
      }
    }));

  test('that was read before a commit is not delayed by it, but other reads are', () =>
    withNumbers(async ({ durability, commit, see, waiting }) => {
      see();
      const first = durability.durable();
      waiting[0]?.resolve();
      await first;
      commit(1);
      expect(durability.whenRowDurable(Date.now())).toBeNull();
      const durable = durability.whenDurable(Date.now());
      expect(durable).not.toBeNull();
      waiting[0]?.resolve();
      await durable;
    }));

  test('is not durable if a commit came between the look for commits and the row', () =>
    withFile(async (file) => {
      const other = await connect(file, 0);
      other.exec('create table numbers (number integer); insert into numbers values (0)');
      const connection = await connect(file, 0);
      const { waiting, sync } = disk();
      const [reads, log] = [new SmallReads(connection), new LogSync(file, sync)];
      const durability = new Durability(log, reads);
      const first = durability.durable();
      waiting[0]?.resolve();
      await first;
      // Prepared at its first use, after the look for commits.
      const prepare = connection.prepare.bind(connection);
      connection.prepare = ((sql: string) => {
        other.exec('update numbers set number = 1');
        return prepare(sql);
      }) as typeof connection.prepare;
      expect(reads.prepare('select number from numbers')()).toEqual([{ number: 1 }]);
      const durable = durability.whenRowDurable(Date.now());
      expect(durable).not.toBeNull();
      waiting[0]?.resolve();
      await durable;
      await log.close();
      for (const database of [other, connection]) database.close();
    }));

  test('that was changed more than a minute ago is durable', () =>
    withNumbers(async ({ durability, commit, see, waiting }) => {
      commit(1);
      see();
      expect(durability.whenRowDurable(Date.now() - 60_000)).toBeNull();
      expect(durability.whenDurable(Date.now() - 60_000)).toBeNull();
      expect(waiting).toHaveLength(0);
    }));
});

test('an item is found once its row is durable', () =>
  withDatabase(async (database, file) => {
    const workspace = newId();
    await database.workspaces.insert(
      { id: workspace, name: 'Sample', timezone: 'UTC', stripLocation: null, createdAt: 0 },
      [],
    );
    const store = await openStore(file, 5000);
    const { promise, resolve } = Promise.withResolvers<void>();
    try {
      const item = sampleImage(workspace);
      const { media } = repositories({ ...store, whenRowDurable: () => promise });
      await media.insert([item], []);
      let found: unknown = 'nothing yet';
      const finding = media.find(item.id).then((answer) => {
        found = answer;
      });
      await nextTurn();
      expect(found).toBe('nothing yet');
      resolve();
      await finding;
      expect(found).toMatchObject({ item: { id: item.id } });
    } finally {
      await store.close();
    }
  }));
