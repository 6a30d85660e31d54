import { describe, expect, test } from 'bun:test';
import { rename, stat } from 'node:fs/promises';
import { type FreeSpace, Refusal, reserveFor, type WritePurpose } from '@postshelf/domain';
import { addImport } from '@postshelf/testing/contracts/imports/samples';
import { addPost, addProfile, sampleDetails } from '@postshelf/testing/contracts/posts/samples';
import {
  addFolder,
  addWorkspace,
  NOW,
  sampleFolder,
  sampleImage,
  sampleToken,
} from '@postshelf/testing/contracts/samples';
import { openSqlite } from '../../src/index.ts';
import { withFile } from '../support/scratch.ts';

const MIB = 1024 * 1024;
const RESERVE = 1024 * MIB;

/** A fake disk whose free space the test sets. */
function fakeDisk() {
  const disk = { left: 100 * RESERVE, asked: [] as WritePurpose[], isGone: false };
  const space: FreeSpace = {
    free: async () => disk.left,
    has: async (bytes) => disk.left - bytes >= RESERVE,
    reserve: async () => () => undefined,
    require(purpose, bytes) {
      disk.asked.push(purpose);
      if (disk.isGone) throw new Refusal({ code: 'unavailable', message: 'The storage is unavailable.' });
      if (disk.left - bytes < reserveFor(purpose, RESERVE)) throw new Refusal({ code: 'storage_low' });
    },
  };
  return { disk, space };
}

const LOW = { problem: { code: 'storage_low', message: 'The disk is low on space and takes nothing new.' } };

/** Runs a test on a library over such a disk, with a row of every kind. */
const withLibrary = (run: (library: Awaited<ReturnType<typeof fill>>) => Promise<void>): Promise<void> =>
  withFile(async (file) => {
    const { disk, space } = fakeDisk();
    const database = await openSqlite(file, { space });
    try {
      await database.migrate();
      await run({ ...(await fill(database)), disk, file });
    } finally {
      await database.close();
    }
  });

async function fill(database: Awaited<ReturnType<typeof openSqlite>>) {
  const { id } = await addWorkspace(database);
  const profile = await addProfile(database, id);
  const image = sampleImage(id);
  await database.media.insert([image]);
  const token = sampleToken([id]);
  await database.tokens.insert(token);
  return {
    database,
    id,
    profile,
    image,
    token,
    post: await addPost(database, profile),
    folder: await addFolder(database, id),
    job: await addImport(database, id, { start: { dueAt: NOW } }),
    disk: fakeDisk().disk,
    file: '',
  };
}

describe('A database whose disk has only its reserve left', () => {
  test('refuses content: posts, metrics, presigned uploads', () =>
    withLibrary(async ({ database, disk, profile, post }) => {
      disk.left = RESERVE;
      await expect(addPost(database, profile)).rejects.toMatchObject(LOW);
      await expect(database.posts.upsert([sampleDetails(profile)], NOW)).rejects.toMatchObject(LOW);
      await expect(database.posts.updateMetrics(post.id, { likes: 9 }, NOW)).rejects.toMatchObject(LOW);
      await expect(database.presign.add([])).rejects.toMatchObject(LOW);
      expect((await database.posts.list(profile.workspaceId, {}, { offset: 0, limit: 9 })).total).toBe(1);
    }));

  test('accepts single rows until the reserve is used up', () =>
    withLibrary(async ({ database, disk, id }) => {
      disk.left = 64 * MIB;
      expect(await database.folders.insert(sampleFolder(id))).toBeNull();
      disk.left -= 1;
      await expect(database.folders.insert(sampleFolder(id))).rejects.toMatchObject(LOW);
      await expect(addProfile(database, id)).rejects.toMatchObject(LOW);
      await expect(database.media.insert([sampleImage(id)])).rejects.toMatchObject(LOW);
      await expect(database.tokens.insert(sampleToken([id]))).rejects.toMatchObject(LOW);
      await expect(addImport(database, id)).rejects.toMatchObject(LOW);
    }));

  test('still deletes, revokes and finishes running work', () =>
    withLibrary(async ({ database, disk, id, image, post, folder, token }) => {
      disk.left = 0;
      expect(await database.posts.remove(post.id)).toBe(true);
      expect(await database.media.remove(image.id)).toEqual([image.fullName]);
      expect(await database.folders.remove(folder.id)).toBe('removed');
      await database.tokens.touch(token.id, NOW);
      expect(await database.tokens.revoke(token.id, NOW)).toBe(true);
      const lease = { owner: 'worker', until: NOW + 1000 };
      expect(await database.imports.claim({ lease, now: NOW, limit: 1, perWorkspace: 1 })).toHaveLength(1);
      expect(await database.migrate()).toEqual([]);
      await database.workspaces.beginRemoval(id, NOW);
      await database.workspaces.removeBatch(id, 100);
    }));

  test('takes the log into account, which must fit into the database as well', () =>
    withLibrary(async ({ database, disk, profile }) => {
      const text = 'x'.repeat(60_000);
      for (let n = 0; n < 40; n++) await addPost(database, profile, { text });
      disk.left = RESERVE + 8 * MIB;
      await expect(addPost(database, profile)).rejects.toMatchObject(LOW);
      // After a checkpoint the log no longer counts, and its space is free again.
      await database.vacuum?.(new AbortController().signal);
      await addPost(database, profile);
    }));

  test('does not truncate the log while there is space for it', () =>
    withLibrary(async ({ database, file }) => {
      await database.vacuum?.(new AbortController().signal);
      expect((await stat(`${file}-wal`)).size).toBeGreaterThan(0);
    }));
});

test("refuses nothing if free space can't be determined, as the database reports its own errors", () =>
  withLibrary(async ({ database, disk, profile, id, file }) => {
    disk.isGone = true;
    await addPost(database, profile);
    await addFolder(database, id);
    await rename(file, `${file}.away`);
    const message = 'The database is unavailable. Try again later.';
    await expect(addPost(database, profile)).rejects.toMatchObject({ problem: { code: 'unavailable', message } });
    await rename(`${file}.away`, file);
    await addPost(database, profile);
  }));
