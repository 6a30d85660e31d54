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

/** Expects writes and checks to be refused as unavailable while reads still work. */
async function expectCutOff(database: Database, known: readonly Workspace[]): Promise<void> {
  const gone = /was removed or replaced/;
  await expectUnavailable(addWorkspace(database), gone);
  await expectUnavailable(database.check(), gone);
  expect(await database.workspaces.list()).toEqual([...known]);
}

describe('an open database refuses writes that would be lost', () => {
  for (const what of ['', '-wal']) {
    test(`while its database${what} file is moved away, until it is back`, () =>
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

  test('after its file was removed', () =>
    withDatabase(async (database, file) => {
      const first = await addWorkspace(database);
      for (const suffix of ['', '-wal', '-shm']) await unlink(file + suffix);
      await expectCutOff(database, [first]);
    }));

  test('after its file was replaced, even by a copy of it', () =>
    withDatabase(async (database, file) => {
      const first = await addWorkspace(database);
      await copyFile(file, `${file}.copy`);
      await rename(`${file}.copy`, file);
      await expectCutOff(database, [first]);
    }));
});

test('an open database reports a write as failed if its file was removed before the commit', () =>
  withFile(async (file) => {
    const store = await openStore(file, 0);
    const write = store.write(async (transaction) => {
      await sql`create table shelf (name text)`.execute(transaction);
      await unlink(file);
    });
    await expectUnavailable(write, /was removed or replaced/);
    await store.close();
  }));

/** Whether the kernel lists locks in /proc/locks (proc(5)). */
const isLinux = process.platform === 'linux';

test.skipIf(!isLinux)('a process holds its own read lock on an existing database while it has it open', () =>
  withFile(async (file) => {
    // The first connection stays open, so the log isn't deleted. The second one therefore finds an existing log, as
    // after a restart.
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
