import { describe, expect, spyOn, test } from 'bun:test';
import { addWorkspace, sampleImage } from '@postshelf/testing/contracts/samples';
import { repositories } from '../../src/repositories.ts';
import { Durability } from '../../src/sqlite/commits/durability.ts';
import { LogSync } from '../../src/sqlite/commits/log-sync.ts';
import { connect } from '../../src/sqlite/connection/connect.ts';
import { openStore } from '../../src/sqlite/store.ts';
import { disk, type Waiting } from '../support/disk.ts';
import { nextTurn, withDatabase, withFile } from '../support/scratch.ts';

interface Scene {
  readonly durability: Durability;
  /** Commits a different number on another connection. */
  commit(number: number): void;
  /** Syncs in progress. */
  readonly waiting: Waiting[];
}

const withNumbers = (act: (scene: Scene) => Promise<void>): Promise<void> =>
  withFile(async (file) => {
    const other = await connect(file, 0);
    other.exec('create table numbers (number integer); insert into numbers values (0)');
    const connection = await connect(file, 0);
    const { waiting, sync } = disk();
    const log = new LogSync(file, sync);
    const update = other.prepare('update numbers set number = ?');
    try {
      await act({
        durability: new Durability(log, connection),
        commit: (number) => void update.run(number),
        waiting,
      });
    } finally {
      await log.close();
      for (const database of [other, connection]) database.close();
    }
  });

describe('data that reads can see', () => {
  test('is durable after a sync that started after its commit, and must be synced again after the next commit', () =>
    withNumbers(async ({ durability, commit, waiting }) => {
      for (const number of [1, 2]) {
        commit(number);
        const settled = durability.settled(Date.now());
        expect(waiting).toHaveLength(1);
        let isSettled = false;
        const noted = settled?.then(() => {
          isSettled = true;
        });
        await nextTurn();
        expect(isSettled).toBe(false);
        waiting[0]?.resolve();
        await noted;
        expect(durability.settled()).toBeNull();
        expect(durability.settled(Date.now())).toBeNull();
        await nextTurn();
      }
    }));

  test('is not made durable by a sync that started before its commit', () =>
    withNumbers(async ({ durability, commit, waiting }) => {
      commit(1);
      const first = durability.settled();
      commit(2);
      waiting[0]?.resolve();
      await first;
      await nextTurn();
      const second = durability.settled();
      expect(second).not.toBeNull();
      waiting[0]?.resolve();
      await second;
      expect(durability.settled()).toBeNull();
    }));

  test('has one version for a moment, and a new one later, in the next turn of the event loop, or once it is cleared', () =>
    withNumbers(async ({ durability, commit }) => {
      const clock = spyOn(performance, 'now').mockReturnValue(1000);
      try {
        const version = durability.version();
        commit(1);
        await Promise.resolve();
        expect(durability.version()).toBe(version);
        clock.mockReturnValue(1000.2);
        const later = durability.version();
        expect(later).not.toBe(version);
        commit(2);
        await nextTurn();
        const next = durability.version();
        expect(next).not.toBe(later);
        commit(3);
        durability.clearVersion();
        expect(durability.version()).not.toBe(next);
      } finally {
        clock.mockRestore();
      }
    }));

  test('needs no sync if its last change is more than a minute old', () =>
    withNumbers(async ({ durability, commit, waiting }) => {
      commit(1);
      expect(durability.settled(Date.now() - 60_000)).toBeNull();
      expect(waiting).toHaveLength(0);
    }));
});

test('a commit of another connection does not count as durable just because a read shows it', () =>
  withDatabase(async (_, file) => {
    const other = await connect(file, 0);
    const store = await openStore(file, 5000);
    try {
      await store.settled();
      expect(store.settled()).toBeNull();
      // The version is already known in this turn of the event loop, but not the one that the read sees.
      other.exec('create table another (number integer)');
      await store.read((queries) => queries.selectFrom('workspaces').selectAll().execute());
      expect(store.settled()).not.toBeNull();
    } finally {
      await store.close();
      other.close();
    }
  }));

test('an item is found only once its row is durable', () =>
  withDatabase(async (database, file) => {
    const { id: workspace } = await addWorkspace(database);
    const store = await openStore(file, 5000);
    const { promise, resolve } = Promise.withResolvers<void>();
    try {
      const item = sampleImage(workspace);
      const { media } = repositories({ ...store, settled: () => promise });
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
