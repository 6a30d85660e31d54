import { describe, expect, test } from 'bun:test';
import { chmod, mkdir, stat, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { addWorkspace } from '@postshelf/testing/contracts/samples';
import { openSqlite } from '../../src/index.ts';
import { connect } from '../../src/sqlite/connection/connect.ts';
import { withDatabase, withFile } from '../support/scratch.ts';

const modeOf = async (file: string): Promise<string> => ((await stat(file)).mode & 0o777).toString(8);

describe('opening an SQLite database', () => {
  test('creates files that only their owner can read', () =>
    withDatabase(async (_database, file) => {
      for (const suffix of ['', '-wal', '-shm']) expect(await modeOf(file + suffix)).toBe('600');
    }));

  test('keeps the mode of an existing file', () =>
    withFile(async (file) => {
      await writeFile(file, '');
      await chmod(file, 0o640);
      await (await openSqlite(file)).close();
      expect(await modeOf(file)).toBe('640');
    }));

  test('syncs commits and enforces foreign keys', () =>
    withFile(async (file) => {
      const database = await connect(file, 0);
      const setting = (name: string) => database.pragma(name, { simple: true });
      expect(setting('journal_mode')).toBe('wal');
      expect(setting('synchronous')).toBe(2);
      expect(setting('foreign_keys')).toBe(1);
      database.close();
    }));

  test('finds rows that were stored before', () =>
    withFile(async (file) => {
      const before = await openSqlite(file);
      await before.migrate();
      const workspace = await addWorkspace(before);
      await before.close();
      const after = await openSqlite(file);
      expect(await after.workspaces.list()).toEqual([workspace]);
      await after.close();
    }));

  test('treats a path that looks like a URI as a path', () =>
    withFile(async (file) => {
      const strange = join(dirname(file), 'file:strange?mode=ro');
      await (await openSqlite(strange)).close();
      expect((await stat(strange)).isFile()).toBe(true);
    }));

  for (const [what, make] of [
    ['is not a database', (file: string) => writeFile(file, 'This is a text about shelves. '.repeat(100))],
    ['is a folder', (file: string) => mkdir(file)],
  ] as const) {
    test(`reports in one line that a file ${what}`, () =>
      withFile(async (file) => {
        await make(file);
        await expectOneLine(file);
      }));
  }

  test('reports in one line that the folder is missing', () =>
    withFile(async (file) => expectOneLine(join(dirname(file), 'missing', 'postshelf.db'))));
});

async function expectOneLine(file: string): Promise<void> {
  const error = await openSqlite(file).catch((thrown: unknown) => thrown);
  expect(error).toBeInstanceOf(Error);
  expect(`${error}`).toStartWith(`UnusableDatabase: Cannot open the database ${file}: `);
  expect(`${error}`).not.toContain('\n');
  expect((error as Error).cause).toBeInstanceOf(Error);
}
