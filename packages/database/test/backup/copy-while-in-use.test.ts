import { describe, expect, test } from 'bun:test';
import { open, readdir, stat, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { setImmediate as turn } from 'node:timers/promises';
import { BackupError, type DatabaseCopy } from '@postshelf/domain';
import { addPost, addProfile } from '@postshelf/testing/contracts/posts/samples';
import {
  addWorkspace,
  NOW,
  newId,
  sampleCover,
  sampleImage,
  sampleProcessing,
  sampleVideo,
} from '@postshelf/testing/contracts/samples';
import { outcomeOf, thrownBy } from '@postshelf/testing/outcomes';
import { type Database, openSqlite, restoreSqlite } from '../../src/index.ts';
import { Sqlite } from '../../src/sqlite/connection/native.ts';
import { withDatabase, withFile } from '../support/scratch.ts';

/** Copies an SQLite database to the path. */
async function copyOf({ backups }: Database, path: string): Promise<DatabaseCopy> {
  if (backups === null) throw new Error('SQLite databases can be copied while in use.');
  return backups.copyTo(path);
}

/**
 * Reads a database, so that later commits can't be written from its log to its file. Returns a function that ends this.
 */
function holdOpen(path: string): () => void {
  const reader = new Sqlite(path);
  reader.exec('begin');
  reader.pragma('user_version');
  return () => reader.close();
}

/** Restores a copy to a file with `restoreSqlite`. */
async function restored(copy: DatabaseCopy, place: string): Promise<void> {
  const sealed = await copy.seal();
  const restore = restoreSqlite(place);
  expect(await restore.receive(sealed.body)).toMatchObject({ size: sealed.size });
  await restore.open();
  await restore.commit();
  await restore.discard();
  await copy.discard();
}

describe('a copy of a database in use', () => {
  test('contains everything committed before it and is independent of the original', () =>
    withDatabase(async (database, file) => {
      const { id } = await addWorkspace(database);
      const [kept, removed] = [sampleImage(id), sampleImage(id)];
      await database.media.insert([kept, removed, sampleProcessing(id)]);
      const copy = await copyOf(database, `${file}.copy`);
      expect((await stat(`${file}.copy`)).mode & 0o777).toBe(0o600);
      await copy.removeItem(removed.id);
      expect(await copy.media.listActive(null, 10)).toEqual([kept]);
      await database.media.delete(kept.id);
      await restored(copy, `${file}.restored`);
      expect((await readdir(dirname(file))).filter((name) => /copy|restoring/.test(name))).toEqual([]);

      const other = await openSqlite(`${file}.restored`);
      expect(await other.migrate()).toEqual([]);
      expect(await other.media.listActive(null, 10)).toEqual([kept]);
      expect((await database.media.listActive(null, 10)).map((item) => item.id)).toEqual([removed.id]);
      await other.close();
    }));

  test('forgets an item that a post uses, one of an emptied trash, and a cover, whose video gets another', () =>
    withDatabase(async (database, file) => {
      const { id } = await addWorkspace(database);
      const [used, kept, trashed, video] = [sampleImage(id), sampleImage(id), sampleImage(id), sampleVideo(id)];
      const cover = sampleCover(video);
      await database.media.insert([used, kept, trashed, video, cover]);
      const post = await addPost(database, await addProfile(database, id), { mediaIds: [used.id, kept.id] });
      await database.trashed.add(trashed.id, NOW);
      await database.trashed.empty(id, NOW);
      const copy = await copyOf(database, `${file}.copy`);
      for (const gone of [used, trashed, cover]) await copy.removeItem(gone.id);
      await restored(copy, `${file}.restored`);

      const other = await openSqlite(`${file}.restored`);
      expect((await other.media.listActive(null, 10)).map((item) => item.id)).toEqual([kept.id, video.id]);
      expect((await other.posts.find(post.id))?.mediaIds).toEqual([kept.id]);
      expect(await other.jobs.find({ kind: 'cover', subjectId: video.id })).not.toBeNull();
      await other.close();
    }));

  test('is consistent during continuous writes and contains all earlier commits', () =>
    withDatabase(async (database, file) => {
      const { id } = await addWorkspace(database);
      // These rows fill more pages than one step of a backup copies by default.
      const before = Array.from({ length: 2000 }, () => sampleImage(id, { label: 'x'.repeat(200) }));
      await database.media.insert(before);
      const rival = await openSqlite(file);
      let isWriting = true;
      let written = 0;
      const writing = (async () => {
        while (isWriting) {
          await rival.media.insert([sampleImage(id)]);
          written += 1;
          // Each write happens between two steps of the copying.
          await turn();
        }
      })();
      // On a busy machine, the copy could otherwise end before the first write.
      while (written === 0) await turn();
      try {
        const copy = await copyOf(database, `${file}.copy`);
        const ids = new Set((await copy.media.listActive(null, 10_000)).map((item) => item.id));
        expect(before.every((item) => ids.has(item.id))).toBe(true);
        await copy.discard();
      } finally {
        isWriting = false;
        await writing;
        await rival.close();
      }
    }));

  test('leaves no file when it is discarded and does not overwrite an existing file', () =>
    withDatabase(async (database, file) => {
      const before = await readdir(dirname(file));
      const copy = await copyOf(database, `${file}.copy`);
      await copy.discard();
      await copy.discard();
      expect(await readdir(dirname(file))).toEqual(before);
      await writeFile(`${file}.copy`, 'something');
      expect(await outcomeOf(copyOf(database, `${file}.copy`))).toThrow('EEXIST');
      expect(await Bun.file(`${file}.copy`).text()).toBe('something');
    }));

  test('fails if its last changes cannot be written to its file', () =>
    withDatabase(async (database, file) => {
      const { id } = await addWorkspace(database);
      const item = sampleImage(id);
      await database.media.insert([item]);
      const copy = await copyOf(database, `${file}.copy`);
      const release = holdOpen(`${file}.copy`);
      await copy.removeItem(item.id);
      expect(await thrownBy(copy.seal())).toBeInstanceOf(BackupError);
      release();
      await copy.discard();
    }));

  test('fails for a damaged database', () =>
    withDatabase(async (database, file) => {
      const { id } = await addWorkspace(database);
      await database.media.insert(Array.from({ length: 200 }, () => sampleImage(id)));
      const checkpoint = new Sqlite(file);
      checkpoint.pragma('wal_checkpoint(truncate)');
      checkpoint.close();
      const handle = await open(file, 'r+');
      const pages = Math.floor((await handle.stat()).size / 4096);
      for (let page = Math.floor(pages / 2); page < pages; page++)
        await handle.write(new Uint8Array(64).fill(0xff), 0, 64, page * 4096);
      await handle.close();
      const error = await copyOf(database, `${file}.copy`).catch((thrown: unknown) => thrown);
      expect(error).toBeInstanceOf(BackupError);
      expect(`${error}`).toContain('The database is damaged');
      expect(await readdir(dirname(file))).not.toContain(`${file}.copy`);
    }));
});

describe('restoring to a path', () => {
  const bodyOf = async function* (path: string): AsyncGenerator<Uint8Array> {
    yield new Uint8Array(await Bun.file(path).arrayBuffer());
  };

  /**
   * Creates a library in `file`, and calls `use` with a restore that writes a new database to `place`, a path in the same
   * folder.
   */
  const withRestore = (
    use: (restore: ReturnType<typeof restoreSqlite>, file: string, place: string) => Promise<void>,
  ): Promise<void> =>
    withFile(async (file) => {
      const made = await openSqlite(file);
      await made.migrate();
      await made.close();
      const place = join(dirname(file), 'place.db');
      await use(restoreSqlite(place), file, place);
    });

  test('refuses an existing file, even one created meanwhile', () =>
    withRestore(async (restore, file, place) => {
      expect(await restore.existing()).toBeNull();
      await restore.receive(bodyOf(file));
      await restore.open();
      await writeFile(place, 'something');
      expect(await restore.existing()).toEqual({ library: null });
      expect(await thrownBy(restore.commit())).toBeInstanceOf(BackupError);
      await restore.discard();
      expect(await Bun.file(place).text()).toBe('something');
      expect((await readdir(dirname(file))).sort()).toEqual(['place.db', 'postshelf.db']);
    }));

  test('fails if its last changes cannot be written to the database file', () =>
    withRestore(async (restore, file) => {
      await restore.receive(bodyOf(file));
      const { library } = await restore.open();
      const received = (await readdir(dirname(file))).find((name) => name.endsWith('.restoring')) ?? '';
      const release = holdOpen(join(dirname(file), received));
      await library.findOrCreate(newId(), NOW);
      expect(await thrownBy(restore.commit())).toBeInstanceOf(BackupError);
      expect(await restore.existing()).toBeNull();
      release();
      await restore.discard();
    }));

  test('refuses a damaged database and one of a newer version', () =>
    withFile(async (file) => {
      const made = await openSqlite(file);
      await made.migrate();
      await made.close();
      const raw = new Sqlite(file);
      raw.exec("insert into kysely_migration (name, timestamp) values ('9999-future', '')");
      raw.close();
      await writeFile(`${file}.text`, 'This is a text about shelves. '.repeat(1000));
      for (const [path, sentence] of [
        [file, 'newer Postshelf'],
        [`${file}.text`, 'The database is damaged'],
      ] as const) {
        const restore = restoreSqlite(`${file}.place`);
        await restore.receive(bodyOf(path));
        const error = await restore.open().catch((thrown: unknown) => thrown);
        await restore.discard();
        expect(error).toBeInstanceOf(BackupError);
        expect(`${error}`).toContain(sentence);
        expect(await restore.existing()).toBeNull();
      }
      expect((await readdir(dirname(file))).sort()).toEqual(['postshelf.db', 'postshelf.db.text']);
    }));
});
