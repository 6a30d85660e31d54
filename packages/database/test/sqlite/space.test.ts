import { expect, test } from 'bun:test';
import { stat } from 'node:fs/promises';
import { type FreeSpace, Refusal } from '@postshelf/domain';
import { addPost, addProfile } from '@postshelf/testing/contracts/posts/samples';
import { addWorkspace } from '@postshelf/testing/contracts/samples';
import { openSqlite } from '../../src/index.ts';
import { withFile } from '../support/scratch.ts';

const MIB = 1024 * 1024;

/**
 * Runs a test on a library on a fake disk. The test sets the free space in `disk.left`; null means that the free space
 * can't be determined.
 */
const withLibrary = (
  run: (library: Awaited<ReturnType<typeof openSqlite>>, disk: { left: number | null }, file: string) => Promise<void>,
): Promise<void> =>
  withFile(async (file) => {
    const disk: { left: number | null } = { left: 1024 * MIB };
    const space: FreeSpace = {
      free: async () => disk.left ?? 0,
      async has(bytes) {
        if (disk.left === null) throw new Refusal({ code: 'unavailable', message: 'The storage is unavailable.' });
        return disk.left >= bytes;
      },
      reserve: async () => () => undefined,
    };
    const database = await openSqlite(file, { space });
    try {
      await database.migrate();
      await run(database, disk, file);
    } finally {
      await database.close();
    }
  });

test('the free space of a database excludes what its log needs until a checkpoint', () =>
  withLibrary(async (database, disk) => {
    const profile = await addProfile(database, (await addWorkspace(database)).id);
    const text = 'x'.repeat(60_000);
    for (let n = 0; n < 40; n++) await addPost(database, profile, { text });
    disk.left = 9 * MIB;
    expect(await database.space?.has(0)).toBe(false);
    // When space is low, `vacuum` checkpoints and truncates the log, which then needs no more space in the database.
    await database.vacuum?.(new AbortController().signal);
    expect(await database.space?.has(0)).toBe(true);
    expect(await database.space?.has(2 * MIB)).toBe(false);
  }));

test('the log is not truncated while there is space for it', () =>
  withLibrary(async (database, _, file) => {
    await addWorkspace(database);
    await database.vacuum?.(new AbortController().signal);
    expect((await stat(`${file}-wal`)).size).toBeGreaterThan(0);
  }));

test('space is assumed to be free if it is unknown, because the database reports a full disk itself', () =>
  withLibrary(async (database, disk) => {
    disk.left = null;
    expect(await database.space?.has(0)).toBe(true);
  }));

test('rows can be inserted and deleted even if no space is free', () =>
  withLibrary(async (database, disk) => {
    disk.left = 0;
    const profile = await addProfile(database, (await addWorkspace(database)).id);
    const post = await addPost(database, profile);
    expect(await database.posts.delete(post.id)).toBe(true);
  }));
