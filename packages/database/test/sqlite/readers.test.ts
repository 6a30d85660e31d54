import { describe, expect, test } from 'bun:test';
import { setImmediate as turn } from 'node:timers/promises';
import { Refusal, type Uuid } from '@postshelf/domain';
import { addPost, addProfile } from '@postshelf/testing/contracts/posts/samples';
import { addFolder, addWorkspace, NOW, sampleImage } from '@postshelf/testing/contracts/samples';
import { outcomeOf, thrownBy } from '@postshelf/testing/outcomes';
import { sql } from 'kysely';
import { listMedia } from '../../src/media/media-list.ts';
import { Sqlite } from '../../src/sqlite/connection/native.ts';
import { openReaderStore } from '../../src/sqlite/readers/reader-store.ts';
import { openStore, type SqliteStore } from '../../src/sqlite/store.ts';
import { Readers } from '../../src/store/readers.ts';
import { GIVEN } from '../../src/store/store.ts';
import { withDatabase } from '../support/scratch.ts';

const TIMEOUT = 60_000;
const PAGE = { offset: 0, limit: 25 };

/** Copies an item's row many times with one statement, which is far faster than single inserts. */
async function multiply(store: SqliteStore, id: Uuid, copies: number): Promise<void> {
  const columns =
    'workspace_id, folder_id, name, label, search_key, created_at, updated_at, status, type, size, width, height';
  await store.write((transaction) =>
    sql
      .raw(
        `with recursive numbers(n) as (select 1 union all select n + 1 from numbers where n < ${copies})
        insert into media (id, full_name, ${columns})
        select printf('019f5b0e-7a10-7c55-8a31-%012x', n), 'many/' || n, ${columns} from numbers, media where id = '${id}'`,
      )
      .execute(transaction),
  );
}

/** Runs a test on a workspace with so many items that a search takes a while. */
const withMany = (
  work: (world: { readonly workspaceId: Uuid; readonly file: string; readonly store: SqliteStore }) => Promise<void>,
): Promise<void> =>
  withDatabase(async (database, file) => {
    const { id: workspaceId } = await addWorkspace(database);
    const image = sampleImage(workspaceId);
    await database.media.insert([image]);
    const store = await openStore(file, TIMEOUT);
    try {
      await multiply(store, image.id, 60_000);
      await work({ workspaceId, file, store });
    } finally {
      await store.close();
    }
  });

const seldom = { search: 'a needle that no item has' };

/** Counts the turns of the event loop until the answer arrives. There are few if the scan blocks the loop. */
async function turnsUntil(answer: Promise<unknown>): Promise<number> {
  let isOver = false;
  void answer
    .catch(() => undefined)
    .finally(() => {
      isOver = true;
    });
  let turns = 0;
  for (; !isOver; turns += 1) await turn();
  return turns;
}

describe('scans', () => {
  test('do not block the event loop, and small reads are answered meanwhile', () =>
    withMany(async ({ workspaceId, store }) => {
      const scan = store.scan(listMedia, { workspaceId }, workspaceId, seldom, PAGE);
      const order: string[] = [];
      const scanned = scan.then(() => order.push('scan'));
      const read = store.lookup((queries) => queries.selectFrom('workspaces').select('id').where('id', '=', GIVEN))(
        workspaceId,
      );
      expect(read).toHaveLength(1);
      await store.reads.selectFrom('workspaces').selectAll().execute();
      order.push('small read');
      expect(await turnsUntil(scanned)).toBeGreaterThan(10);
      expect(order).toEqual(['small read', 'scan']);
      expect(await scan).toEqual({ items: [], total: 0 });
    }));

  test('end in the middle of a query when they are aborted, and their thread then runs other scans', () =>
    withMany(async ({ workspaceId, file }) => {
      const readers = new Readers(file, TIMEOUT, 1);
      try {
        const controllers = Array.from({ length: 20 }, () => new AbortController());
        const scans = controllers.map(({ signal }) =>
          readers.run(listMedia, [workspaceId, seldom, PAGE], signal).catch((error: unknown) => error),
        );
        expect(readers.figures).toEqual({ threads: 1, running: 1, waiting: 19, answered: 0, cancelled: 0 });
        for (const controller of controllers) controller.abort();
        for (const error of await Promise.all(scans)) expect(error).toBeInstanceOf(Refusal);
        expect(readers.figures).toEqual({ threads: 1, running: 0, waiting: 0, answered: 0, cancelled: 20 });
        const page = await readers.run(listMedia, [workspaceId, { search: 'sample' }, PAGE]);
        expect(page.items).toHaveLength(25);
      } finally {
        await readers.close();
      }
    }));
});

describe('a reader thread', () => {
  test('sees everything committed before each request', () =>
    withDatabase(async (database) => {
      const { id: workspaceId } = await addWorkspace(database);
      for (let count = 1; count <= 50; count += 1) {
        await database.media.insert([sampleImage(workspaceId)]);
        expect((await database.media.list(workspaceId, { from: 0 }, PAGE)).total).toBe(count);
      }
    }));

  test('refuses the next query once its scan is aborted', () =>
    withDatabase(async (_database, file) => {
      let isWanted = true;
      const store = await openReaderStore(file, TIMEOUT, () => isWanted);
      const count = () => store.read((queries) => queries.selectFrom('media').select('id').execute());
      expect(await count()).toEqual([]);
      isWanted = false;
      expect(await thrownBy(count())).toBeInstanceOf(Refusal);
      await store.close();
    }));

  test('returns for each scan what the same query returns on the main thread', () =>
    withDatabase(async (database, file) => {
      const profile = await addProfile(database);
      const { workspaceId } = profile;
      await addPost(database, profile, { text: 'Ü\0 ☀'.replace('\0', '') });
      await addFolder(database, workspaceId);
      await database.media.insert([sampleImage(workspaceId)]);
      const readers = new Readers(file, TIMEOUT, 1);
      try {
        const { listPosts } = await import('../../src/posts/post-list.ts');
        const { listFolders } = await import('../../src/folders/folder-list.ts');
        expect(await readers.run(listMedia, [workspaceId, {}, PAGE])).toEqual(
          await database.media.list(workspaceId, {}, PAGE),
        );
        expect(await readers.run(listPosts, [workspaceId, {}, PAGE])).toEqual(
          await database.posts.list(workspaceId, {}, PAGE),
        );
        const { listProfiles } = await import('../../src/posts/profile-repository.ts');
        expect(await readers.run(listProfiles, [workspaceId, PAGE])).toEqual(
          await database.profiles.list(workspaceId, PAGE),
        );
        expect(await readers.run(listFolders, [workspaceId, {}, PAGE])).toEqual(
          await database.folders.list(workspaceId, {}, PAGE),
        );
      } finally {
        await readers.close();
      }
    }));

  test('passes on the error of a scan and continues', () =>
    withDatabase(async (database, file) => {
      const { id: workspaceId } = await addWorkspace(database);
      const readers = new Readers(file, TIMEOUT, 1);
      try {
        const unknown = { ...listMedia, name: 'unknown' };
        expect(await outcomeOf(readers.run(unknown, [workspaceId, {}, PAGE]))).toThrow('has no scan unknown');
        expect((await readers.run(listMedia, [workspaceId, {}, PAGE])).total).toBe(0);
      } finally {
        await readers.close();
      }
    }));

  test('that cannot open the database fails the scan and is free again', () =>
    withDatabase(async (database, file) => {
      const { id: workspaceId } = await addWorkspace(database);
      const other = `${file}.missing/postshelf.db`;
      const readers = new Readers(other, 0, 1);
      try {
        expect(await outcomeOf(readers.run(listMedia, [workspaceId, {}, PAGE]))).toThrow();
        expect(readers.figures).toMatchObject({ threads: 1, running: 0, waiting: 0 });
      } finally {
        await readers.close();
      }
    }));

  test('closes its connection without releasing the locks of other connections', () =>
    withDatabase(async (database, file) => {
      const { id: workspaceId } = await addWorkspace(database);
      const writer = new Sqlite(file, { timeout: 0 });
      writer.exec('begin immediate');
      const readers = new Readers(file, TIMEOUT, 1);
      await readers.run(listMedia, [workspaceId, { from: 0 }, PAGE]);
      await readers.close();
      const { exitCode, stderr } = Bun.spawnSync([process.execPath, '-e', TRY_TO_LOCK, file]);
      writer.exec('rollback');
      writer.close();
      expect([exitCode, stderr.toString()]).toEqual([3, '']);
    }));
});

/** A program that tries to take the write lock. It exits with 3 if the lock is held. */
const TRY_TO_LOCK = `
  const { Database } = require('bun:sqlite');
  const database = new Database(process.argv.at(-1));
  try { database.exec('begin immediate'); } catch { process.exit(3); }
`;

test('no more threads than allowed are started, and all waiting scans are served', () =>
  withDatabase(async (database, file) => {
    const { id: workspaceId } = await addWorkspace(database);
    const readers = new Readers(file, TIMEOUT, 2);
    try {
      const served: number[] = [];
      const scans = Array.from({ length: 20 }, async (_, index) => {
        await readers.run(listMedia, [workspaceId, { from: NOW }, PAGE]);
        served.push(index);
      });
      expect(readers.figures).toMatchObject({ threads: 2, running: 2, waiting: 18 });
      await Promise.all(scans);
      expect(readers.figures).toMatchObject({ threads: 2, running: 0, waiting: 0, answered: 20 });
      expect(served.toSorted((a, b) => a - b)).toEqual(Array.from({ length: 20 }, (_, index) => index));
    } finally {
      await readers.close();
    }
  }));
