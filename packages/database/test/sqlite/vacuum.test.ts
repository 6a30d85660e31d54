import { describe, expect, test } from 'bun:test';
import { stat } from 'node:fs/promises';
import { addPost, addProfile } from '@postshelf/testing/contracts/posts/samples';
import { addWorkspace, NOW } from '@postshelf/testing/contracts/samples';
import { openSqlite } from '../../src/index.ts';
import { connect } from '../../src/sqlite/connection/connect.ts';
import { Sqlite } from '../../src/sqlite/connection/native.ts';
import { withDatabase, withFile } from '../support/scratch.ts';

const MIB = 1024 * 1024;
const never = new AbortController().signal;

type Library = Parameters<Parameters<typeof withDatabase>[0]>[0];

/** Writes some megabytes of posts and removes them. */
async function comeAndGo(database: Library): Promise<void> {
  const { id } = await addWorkspace(database);
  const profile = await addProfile(database, id);
  const text = 'x'.repeat(60_000);
  for (let n = 0; n < 200; n++) await addPost(database, profile, { text });
  await database.workspaces.beginRemoval(id, NOW);
  while (await database.workspaces.removeBatch(id, 1000, NOW));
}

async function sizeOf(file: string): Promise<number> {
  const connection = await connect(file, 1000);
  connection.pragma('wal_checkpoint(truncate)');
  connection.close();
  return (await stat(file)).size;
}

test('an existing database can be opened while another process writes to it', () =>
  withDatabase(async (_, file) => {
    const writer = await connect(file, 0);
    writer.exec('begin immediate');
    const another = await connect(file, 0);
    expect(another.pragma('auto_vacuum', { simple: true })).toBe(2);
    another.close();
    writer.exec('rollback');
    writer.close();
  }));

describe('space that deletions have freed', () => {
  test('is returned to the disk, except for some megabytes, during concurrent writes', () =>
    withDatabase(async (database, file) => {
      await comeAndGo(database);
      const before = await sizeOf(file);
      expect(before).toBeGreaterThan(11 * MIB);
      const [given] = await Promise.all([database.vacuum?.(never), addWorkspace(database), addWorkspace(database)]);
      const after = await sizeOf(file);
      expect(after).toBeLessThan(5 * MIB);
      expect(given).toBeGreaterThanOrEqual(before - after - MIB);
      expect(await database.vacuum?.(never)).toBe(0);
      expect(await database.workspaces.list()).toHaveLength(2);
      const check = new Sqlite(file, { readonly: true });
      expect(check.pragma('integrity_check', { simple: true })).toBe('ok');
      check.close();
    }));

  test('is returned immediately, even if the log is too short for SQLite to checkpoint it', () =>
    withDatabase(async (database, file) => {
      await comeAndGo(database);
      await database.vacuum?.(never);
      expect((await stat(file)).size).toBeLessThan(5 * MIB);
      expect((await stat(`${file}-wal`)).size).toBe(0);
    }));

  test('is returned later if a reader prevents the checkpoint', () =>
    withDatabase(async (database, file) => {
      await comeAndGo(database);
      const reader = new Sqlite(file, { readonly: true });
      reader.exec('begin');
      reader.prepare('select count(*) from workspaces').get();
      await database.vacuum?.(never);
      expect((await stat(`${file}-wal`)).size).toBeGreaterThan(8 * MIB);
      reader.close();
      expect(await database.vacuum?.(never)).toBe(0);
      expect((await stat(file)).size).toBeLessThan(5 * MIB);
      expect((await stat(`${file}-wal`)).size).toBe(0);
    }));

  test('is left for the next run if a run is aborted', () =>
    withDatabase(async (database) => {
      await comeAndGo(database);
      expect(await database.vacuum?.(AbortSignal.abort())).toBe(0);
      expect(await database.vacuum?.(never)).toBeGreaterThan(5 * MIB);
    }));

  test('stays in a database created without auto_vacuum, which works as before', () =>
    withFile(async (file) => {
      const made = new Sqlite(file);
      made.pragma('journal_mode = wal');
      made.exec('create table before_us (id integer); drop table before_us');
      made.close();
      const database = await openSqlite(file);
      try {
        await database.migrate();
        await comeAndGo(database);
        expect(await database.vacuum?.(never)).toBe(0);
      } finally {
        await database.close();
      }
      expect(await sizeOf(file)).toBeGreaterThan(11 * MIB);
    }));
});
