import { expect, spyOn, test } from 'bun:test';
import { readFile } from 'node:fs/promises';
import type { MediaItem, Uuid } from '@postshelf/domain';
import { addWorkspace, sampleCover, sampleImage, sampleVideo } from '@postshelf/testing/contracts/samples';
import { startStopwatch } from '@postshelf/testing/waiting';
import type { Transaction } from 'kysely';
import { mediaToRow } from '../../src/media/media-rows.ts';
import { GroupCommit } from '../../src/sqlite/commits/group-commit.ts';
import { LogSync } from '../../src/sqlite/commits/log-sync.ts';
import { Sqlite } from '../../src/sqlite/connection/native.ts';
import { openStore, type SqliteStore } from '../../src/sqlite/store.ts';
import type { Tables } from '../../src/store/tables.ts';
import { withDatabase } from '../support/scratch.ts';

/** Runs a test on a new store whose database has one workspace. */
const withStore = (
  use: (store: SqliteStore, workspace: Uuid, file: string) => Promise<void>,
  groupTime = Number.POSITIVE_INFINITY,
): Promise<void> =>
  withDatabase(async (database, file) => {
    const { id: workspace } = await addWorkspace(database);
    const store = await openStore(file, 5000, null, groupTime);
    try {
      await use(store, workspace, file);
    } finally {
      await store.close();
    }
  });

const keep = (store: SqliteStore, item: MediaItem): Promise<unknown> =>
  store.write((transaction) => transaction.insertInto('media').values(mediaToRow(item, [])).execute());

const keptIds = async (store: SqliteStore): Promise<readonly string[]> =>
  (await store.reads.selectFrom('media').select('id').orderBy('id').execute()).map(({ id }) => id);

/**
 * Counts the transactions in the write-ahead log. The size of the database is set only in the last frame of each
 * transaction (sqlite.org/fileformat2.html).
 */
async function commitsIn(file: string): Promise<number> {
  const [log, page] = [await readFile(`${file}-wal`), 4096];
  let commits = 0;
  for (let at = 32; at < log.length; at += 24 + page) if (log.readUInt32BE(at + 4) > 0) commits += 1;
  return commits;
}

test('concurrent writes are committed together', () =>
  withStore(async (store, workspace, file) => {
    const items = Array.from({ length: 12 }, () => sampleImage(workspace));
    const before = await commitsIn(file);
    await Promise.all(items.map((item) => keep(store, item)));
    expect(await commitsIn(file)).toBe(before + 1);
    expect(await keptIds(store)).toEqual(items.map(({ id }) => id).toSorted());
  }));

test('a transaction that exceeds its time limit is committed, and the remaining work runs in later ones', () =>
  withStore(async (store, workspace, file) => {
    const items = Array.from({ length: 5 }, () => sampleImage(workspace));
    const before = await commitsIn(file);
    const settled: number[] = [];
    await Promise.all(items.map((item, index) => keep(store, item).then(() => settled.push(index))));
    expect(await commitsIn(file)).toBe(before + 5);
    expect(settled).toEqual([0, 1, 2, 3, 4]);
    expect(await keptIds(store)).toEqual(items.map(({ id }) => id).toSorted());
  }, 0));

test('only the work that throws is rolled back', () =>
  withStore(async (store, workspace) => {
    const [one, undone, other] = [sampleImage(workspace), sampleImage(workspace), sampleImage(workspace)];
    const outcomes = await Promise.allSettled([
      keep(store, one),
      store.write(async (transaction) => {
        await transaction.insertInto('media').values(mediaToRow(undone, [])).execute();
        throw new Error('Changed its mind.');
      }),
      keep(store, other),
      keep(store, one),
    ]);
    expect(outcomes.map(({ status }) => status)).toEqual(['fulfilled', 'rejected', 'fulfilled', 'rejected']);
    expect(outcomes[1]).toMatchObject({ reason: { message: 'Changed its mind.' } });
    expect(await keptIds(store)).toEqual([one.id, other.id].toSorted());
  }));

test('a deferred constraint fails only the work that violates it', () =>
  withStore(async (store, workspace) => {
    const [one, other] = [sampleImage(workspace), sampleImage(workspace)];
    const outcomes = await Promise.allSettled([
      keep(store, one),
      keep(store, sampleCover(sampleVideo(workspace))),
      keep(store, other),
    ]);
    expect(outcomes.map(({ status }) => status)).toEqual(['fulfilled', 'rejected', 'fulfilled']);
    expect(await keptIds(store)).toEqual([one.id, other.id].toSorted());
  }));

test('work is acknowledged only after its commit, which other connections see as a whole', () =>
  withStore(async (store, workspace) => {
    const [one, other] = [sampleImage(workspace), sampleImage(workspace)];
    const first = keep(store, one);
    const second = store.write(async (transaction) => {
      const seen = await keptIds(store);
      await transaction.insertInto('media').values(mediaToRow(other, [])).execute();
      return seen;
    });
    expect((await Promise.all([first, second]))[1]).toEqual([]);
    expect(await keptIds(store)).toEqual([one.id, other.id].toSorted());
  }));

test('closing a store finishes its queued work', () =>
  withDatabase(async (database, file) => {
    const { id: workspace } = await addWorkspace(database);
    const store = await openStore(file, 5000);
    const items = Array.from({ length: 40 }, () => sampleImage(workspace));
    const kept = Promise.all(items.map((item) => keep(store, item)));
    await store.close();
    await kept;
    for (const { id } of items) expect(await database.media.find(id)).not.toBeNull();
  }));

test("one timeout covers the wait in the queue and the wait for another process's lock", () =>
  withDatabase(async (database, file) => {
    const { id: workspace } = await addWorkspace(database);
    const store = await openStore(file, 300);
    const other = new Sqlite(file);
    try {
      other.exec('begin immediate');
      using stopwatch = startStopwatch();
      // The first write is a group of its own. The second is queued while the first waits.
      const first = Promise.allSettled([keep(store, sampleImage(workspace))]);
      await Bun.sleep(100);
      const late = sampleImage(workspace);
      const second = keep(store, late).then(() => 'kept');
      expect(await first).toMatchObject([{ status: 'rejected', reason: { problem: { code: 'unavailable' } } }]);
      other.exec('rollback');
      expect(await second).toBe('kept');
      expect(await keptIds(store)).toEqual([late.id]);
      expect(stopwatch.elapsed()).toBeLessThan(5_000);
    } finally {
      other.close();
      await store.close();
    }
  }));

test('work queued behind work that times out has its own timeout', () =>
  withDatabase(async (database, file) => {
    const { id: workspace } = await addWorkspace(database);
    const store = await openStore(file, 1_000);
    const other = new Sqlite(file);
    try {
      other.exec('begin immediate');
      using stopwatch = startStopwatch();
      const ended: Promise<number>[] = [];
      for (let nth = 0; nth < 3; nth += 1) {
        const failed = keep(store, sampleImage(workspace)).then(
          () => Number.NaN,
          () => stopwatch.elapsed(),
        );
        ended.push(failed);
        await new Promise((resolve) => setImmediate(() => setImmediate(resolve)));
      }
      // If the timeouts were added up, this would take three seconds.
      for (const took of await Promise.all(ended)) expect(took).toBeLessThan(2_000);
    } finally {
      other.close();
      await store.close();
    }
  }));

test('work whose time ends right after a failed attempt is either refused or run later, never both', () =>
  withDatabase(async (database, file) => {
    await addWorkspace(database);
    const [writer, log] = [new Sqlite(file), new LogSync(file)];
    let time = 0;
    using _ = spyOn(performance, 'now').mockImplementation(() => {
      time += 1;
      return time;
    });
    try {
      for (let timeout = 1; timeout < 10; timeout += 1) {
        let [attempts, runs] = [0, 0];
        const transact = async <T>(work: (transaction: Transaction<Tables>) => Promise<T>): Promise<T> => {
          attempts += 1;
          if (attempts === 1) throw new Sqlite.SqliteError('locked', 'SQLITE_BUSY');
          return work({} as Transaction<Tables>);
        };
        const commits = new GroupCommit(writer, log, timeout, transact);
        const outcome = await commits
          .run(async () => {
            runs += 1;
          })
          .then(
            () => 'run',
            () => 'refused',
          );
        await commits.settled();
        expect([timeout, outcome, runs]).toEqual([timeout, outcome, outcome === 'run' ? 1 : 0]);
      }
    } finally {
      await log.close();
      writer.close();
    }
  }));
