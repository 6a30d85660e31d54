import { describe, expect, test } from 'bun:test';
import { Refusal } from '@postshelf/domain';
import { addImport, claim, release } from '@postshelf/testing/contracts/job-samples';
import { addProfile } from '@postshelf/testing/contracts/posts/samples';
import { addFolder, addWorkspace, NOW, sampleFolder, sampleToken } from '@postshelf/testing/contracts/samples';
import { thrownBy } from '@postshelf/testing/outcomes';
import { sql } from 'kysely';
import { connect } from '../../src/sqlite/connection/connect.ts';
import { translateError } from '../../src/sqlite/connection/errors.ts';
import { Sqlite } from '../../src/sqlite/connection/native.ts';
import { openStore } from '../../src/sqlite/store.ts';
import { withDatabase, withFile } from '../support/scratch.ts';

/** Runs a test while another connection holds the write lock, until the test releases it. */
async function whileLocked(file: string, test: (release: () => void) => Promise<void>): Promise<void> {
  const other = await connect(file, 0);
  other.exec('begin immediate');
  const release = () => void other.exec('rollback');
  try {
    await test(release);
  } finally {
    other.close();
  }
}

function expectUnavailable(error: unknown, code: string): void {
  expect(error).toBeInstanceOf(Refusal);
  expect(error).toMatchObject({ problem: { code: 'unavailable' }, cause: { code } });
}

describe('a locked database', () => {
  test('can be read, and a write waits without blocking the process', () =>
    withDatabase(async (database, file) => {
      const { id } = await addWorkspace(database);
      const folder = sampleFolder(id);
      await whileLocked(file, async (release) => {
        const insert = database.folders.insert(folder);
        expect(await database.folders.find(folder.id)).toBeNull();
        expect((await database.folders.list(id, {}, { offset: 0, limit: 1 })).total).toBe(0);
        release();
        expect(await insert).toBeNull();
      });
      expect(await database.folders.find(folder.id)).toEqual(folder);
    }));

  test('refuses every write as unavailable after the timeout', () =>
    withDatabase(
      async (database, file) => {
        const { id } = await addWorkspace(database);
        const token = sampleToken([id]);
        await database.tokens.insert(token);
        const folder = await addFolder(database, id);
        const lease = { owner: 'worker', until: NOW + 1 };
        const item = await addImport(database, id, { start: { lease } });
        const key = { kind: 'import', subjectId: item.id } as const;
        await whileLocked(file, async () => {
          for (const write of [
            () => addWorkspace(database),
            () => database.folders.insert(sampleFolder(id)),
            () => database.folders.update(folder.id, {}, NOW),
            () => database.folders.delete(folder.id),
            () => database.media.insert([]),
            () => database.media.delete(folder.id),
            () => database.presign.claim(folder.id, { owner: 'owner', until: NOW + 1 }, NOW),
            () => addImport(database, id),
            () => claim(database, 'import', lease.owner),
            () => database.jobs.renew('import', [item.id], lease),
            () => release(database, key, lease.owner),
            () => database.jobs.complete(key, lease.owner),
            () => database.processing.finish(key, lease.owner, () => Promise.reject() as never),
            () => addProfile(database, id),
            () => database.posts.upsert([], NOW),
            () => database.posts.update(folder.id, { metrics: {} }, NOW),
            () => database.posts.delete(folder.id),
            () => database.tokens.revoke(token.id, NOW),
            () => database.tokens.touch(token.id, NOW),
            () => database.migrate(),
          ]) {
            expectUnavailable(await thrownBy(write()), 'SQLITE_BUSY');
          }
          expect(await database.tokens.find(token.id)).toEqual(token);
          expect((await database.jobs.figures()).get('import')).toMatchObject({ running: 1 });
        });
        expect(await database.jobs.renew('import', [item.id], lease)).toEqual(new Set([item.id]));
        expect(await database.folders.delete(folder.id)).toBe('deleted');
      },
      { busyTimeoutMs: 0 },
    ));
});

test('a full database refuses a write as unavailable, rolls it back, and works again when there is space', () =>
  withFile(async (file) => {
    const store = await openStore(file, 0);
    const create = sql`create table bulk (bytes blob)`;
    const fill = sql`insert into bulk values (randomblob(1000000))`;
    await store.write((transaction) => create.execute(transaction));
    await store.write((transaction) => sql`pragma max_page_count = 300`.execute(transaction));
    const tooMuch = store.write(async (transaction) => {
      for (;;) await fill.execute(transaction);
    });
    expectUnavailable(await thrownBy(tooMuch), 'SQLITE_FULL');
    const count = sql<{ rows: number }>`select count(*) as rows from bulk`;
    expect((await count.execute(store.reads)).rows).toEqual([{ rows: 0 }]);
    await store.write((transaction) => fill.execute(transaction));
    expect((await count.execute(store.reads)).rows).toEqual([{ rows: 1 }]);
    await store.close();
  }));

describe('errors of SQLite', () => {
  for (const code of [
    'SQLITE_FULL',
    'SQLITE_READONLY_DBMOVED',
    'SQLITE_IOERR_FSYNC',
    'SQLITE_LOCKED',
    'SQLITE_CANTOPEN',
  ]) {
    test(`${code} is translated to unavailable, and the cause is kept`, () => {
      const error = new Sqlite.SqliteError('message', code);
      const translated = translateError(error);
      expectUnavailable(translated, code);
      expect((translated as Refusal).cause).toBe(error);
    });
  }

  for (const code of ['SQLITE_CONSTRAINT_UNIQUE', 'SQLITE_ERROR', 'SQLITE_CORRUPT', 'SQLITE_FULLY']) {
    test(`${code} is a fault and is not translated`, () => {
      const error = new Sqlite.SqliteError('message', code);
      expect(translateError(error)).toBe(error);
    });
  }

  test('an error of another kind is not translated', () => {
    const error = new Error('SQLITE_FULL');
    expect(translateError(error)).toBe(error);
  });
});
