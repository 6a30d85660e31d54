import { describe, expect, test } from 'bun:test';
import { copyFile, readFile, rename, stat, unlink } from 'node:fs/promises';
import { dirname } from 'node:path';
import { Refusal, type Workspace } from '@postshelf/domain';
import { addWorkspace } from '@postshelf/testing/contracts/samples';
import { sql } from 'kysely';
import { type Database, openSqlite } from '../../src/index.ts';
import { openStore } from '../../src/sqlite/store.ts';
import { withDatabase, withFile } from '../support/scratch.ts';

async function expectUnavailable(action: Promise<unknown>, reason: RegExp): Promise<void> {
  const error = await action.catch((thrown: unknown) => thrown);
  expect(error).toBeInstanceOf(Refusal);
  expect(error).toMatchObject({ problem: { code: 'unavailable' } });
  expect(String((error as Refusal).cause)).toMatch(reason);
}

/** What is written is refused, what is read goes on, and whoever asks is told. */
async function expectCutOff(database: Database, known: readonly Workspace[]): Promise<void> {
  const gone = /was removed or replaced/;
  await expectUnavailable(addWorkspace(database), gone);
  await expectUnavailable(database.check(), gone);
  expect(await database.workspaces.list()).toEqual([...known]);
}

describe('an open database refuses writes that would be lost', () => {
  for (const what of ['', '-wal']) {
    test(`while its file ${what} is moved away; it continues when that is back`, () =>
      withDatabase(async (database, file) => {
        const first = await addWorkspace(database);
        await rename(file + what, `${file}.away`);
        await expectCutOff(database, [first]);
        await rename(`${file}.away`, file + what);
        await database.check();
        const second = await addWorkspace(database);
        expect(await database.workspaces.list()).toEqual([first, second]);
      }));
  }

  test('while its folder is moved away', () =>
    withDatabase(async (database, file) => {
      const first = await addWorkspace(database);
      await rename(dirname(file), `${dirname(file)}.away`);
      await expectCutOff(database, [first]);
      await rename(`${dirname(file)}.away`, dirname(file));
      await addWorkspace(database);
    }));

  test('once its file was removed', () =>
    withDatabase(async (database, file) => {
      const first = await addWorkspace(database);
      for (const suffix of ['', '-wal', '-shm']) await unlink(file + suffix);
      await expectCutOff(database, [first]);
    }));

  test('once its file was replaced, even by its own copy', () =>
    withDatabase(async (database, file) => {
      const first = await addWorkspace(database);
      await copyFile(file, `${file}.copy`);
      await rename(`${file}.copy`, file);
      await expectCutOff(database, [first]);
    }));
});

test('a write that was committed while the file was removed is refused', () =>
  withFile(async (file) => {
    const store = await openStore(file, 0);
    const write = store.transact(async (transaction) => {
      await sql`create table shelf (name text)`.execute(transaction);
      await unlink(file);
    });
    await expectUnavailable(write, /was removed or replaced/);
    await store.close();
  }));

/** Where the kernel tells what is locked: /proc/locks, proc(5). */
const isLinux = process.platform === 'linux';

test.skipIf(!isLinux)('an existing database is locked as long as it is open, by each process that opens it', () =>
  withFile(async (file) => {
    // One connection that stays makes the log stay, so that those who open it find it as a restart does.
    const [first, second] = [await openSqlite(file), await openSqlite(file)];
    try {
      const { ino } = await stat(file);
      const locks = (await readFile('/proc/locks', 'utf8')).split('\n');
      const own = new RegExp(`POSIX +ADVISORY +READ +${process.pid} \\w+:\\w+:${ino} `);
      expect(locks.filter((line) => own.test(line))).not.toEqual([]);
    } finally {
      await Promise.all([first.close(), second.close()]);
    }
  }),
);
