import { describe, expect, test } from 'bun:test';
import { mkdtemp, readdir, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { BackupError, NO_TERMS } from '@postshelf/domain';
import { sampleCalendar } from '@postshelf/testing/contracts/calendars/calendar-repository';
import { arrives } from '@postshelf/testing/contracts/pending/kinds';
import { addWorkspace, NOW, newId, sampleTemporary, sampleToken } from '@postshelf/testing/contracts/samples';
import { SCRATCH } from '@postshelf/testing/databases';
import { outcomeOf } from '@postshelf/testing/outcomes';
import { isLibraryAt, openSqlite, restoreSqlite } from '../../src/index.ts';
import { Sqlite } from '../../src/sqlite/connection/native.ts';

/** Runs a test with a folder that contains the database of a library that this program has made. */
async function withLibrary(run: (file: string, folder: string) => Promise<void>): Promise<void> {
  const folder = await mkdtemp(join(SCRATCH, 'postshelf-restore-'));
  const file = join(folder, 'source.db');
  try {
    const made = await openSqlite(file);
    await made.migrate();
    await made.close();
    await run(file, folder);
  } finally {
    await rm(folder, { recursive: true });
  }
}

const change = (file: string, ...statements: string[]): void => {
  const database = new Sqlite(file);
  database.unsafeMode();
  for (const statement of statements) database.exec(statement);
  database.close();
};

async function* bodyOf(path: string): AsyncGenerator<Uint8Array> {
  yield new Uint8Array(await Bun.file(path).arrayBuffer());
}

/**
 * Restores a file to another path in its folder. Resolves with the error, after checking that no temporary file is
 * left.
 */
async function restore(file: string, place: string): Promise<unknown> {
  const to = restoreSqlite(place);
  try {
    await to.receive(bodyOf(file));
    await to.open();
    await to.commit();
    return null;
  } catch (error) {
    return error;
  } finally {
    await to.discard();
  }
}

describe('restoring a database', () => {
  test('drops the sessions, sign-in codes and calendars of the backup', () =>
    withLibrary(async (file, folder) => {
      const source = await openSqlite(file);
      const workspace = await addWorkspace(source);
      const calendar = sampleCalendar(workspace.id);
      await source.calendars.insert(calendar);
      const token = sampleToken([workspace.id]);
      await source.tokens.insert(token);
      const times = { createdAt: 1, expiresAt: 2, lastUsedAt: null };
      const start = { hash: 'session', grounds: { kind: 'token', codeHash: null }, replacedHash: null } as const;
      await source.sessions.insert({ id: newId(), tokenId: token.id, name: 'Laptop', ...times }, start);
      await source.sessions.insertCode({ id: newId(), hash: 'code', tokenId: token.id, expiresAt: 2 });
      await source.close();
      expect(await restore(file, join(folder, 'place.db'))).toBeNull();
      const restored = await openSqlite(join(folder, 'place.db'));
      const found = [
        await restored.sessions.find('session'),
        await restored.sessions.findCode('code'),
        await restored.calendars.find(calendar.id),
      ];
      expect([await restored.tokens.find(token.id), ...found]).toEqual([token, null, null, null]);
      await restored.close();
    }));

  test('discards unfinished resumable uploads and keeps finished ones', () =>
    withLibrary(async (file, folder) => {
      const source = await openSqlite(file);
      const { id } = await addWorkspace(source);
      const [unfinished, settled] = [sampleTemporary(id), sampleTemporary(id)];
      for (const item of [unfinished, settled]) {
        await source.resumable.add(item, { size: 9, metadata: '', terms: NO_TERMS }, NOW);
        await source.presign.claim(item.id, { owner: 'one', until: NOW + 1000 }, NOW);
        await source.resumable.advance(item.id, 'one', 0, [{ name: 'piece', start: 0, size: 8 }], NOW);
      }
      await source.presign.finish(settled.id, 'one', arrives());
      await source.close();
      expect(await restore(file, join(folder, 'place.db'))).toBeNull();
      const { resumable, media, close } = await openSqlite(join(folder, 'place.db'));
      expect([await resumable.find(unfinished.id), await resumable.pieces(unfinished.id)]).toEqual([null, []]);
      expect(await resumable.find(settled.id)).toMatchObject({ received: 8 });
      expect((await media.find(unfinished.id))?.item.status).toBe('temporary');
      await close();
    }));

  const TRICKS: readonly (readonly [string, readonly string[], string])[] = [
    ['a trigger', ['create trigger t after insert on media begin delete from tokens; end'], 'trigger t'],
    ['a view', ['create view v as select * from tokens'], 'view v'],
    ['an extra table', ['create table mine (x)'], 'table mine'],
    ['an extra index', ['create index i on media (name)'], 'index i'],
    ['an extra column', ['alter table tokens add column extra text'], 'table tokens'],
    ['a generated column', ['alter table tokens add column g text as (hex(id)) virtual'], 'table tokens'],
    ['a virtual table', ['create virtual table f using fts5(x)'], 'table f'],
    [
      'a view in place of a table',
      ['pragma foreign_keys = off', 'drop table tokens', 'create view tokens as select 1 as id'],
      'tokens',
    ],
    [
      'a trigger with the name of one of ours',
      [
        `create table saved as select name from sqlite_schema where type = 'trigger' limit 1`,
        'pragma writable_schema = on',
        `update sqlite_schema set sql = replace(sql, ' on ', ' ON ') where name = (select name from saved)`,
        'pragma writable_schema = off',
        'drop table saved',
      ],
      'trigger ',
    ],
    ['a missing table', ['pragma foreign_keys = off', 'drop table jobs'], 'jobs'],
    ['no migrations', ['drop table kysely_migration'], 'not a library'],
    ['a missing first migration', ['delete from kysely_migration'], 'lacks migrations'],
    ['a later migration', [`insert into kysely_migration values ('9999-later', '')`], 'newer Postshelf'],
    [
      'a view in place of the migrations table',
      [
        'create table names as select * from kysely_migration',
        'drop table kysely_migration',
        'create view kysely_migration as select * from names',
      ],
      'not a library',
    ],
  ];

  test.each(TRICKS)('with %s is refused with a one-line error and leaves no file', (_, statements, sentence) =>
    withLibrary(async (file, folder) => {
      change(file, ...statements);
      const error = await restore(file, join(folder, 'place.db'));
      expect(error).toBeInstanceOf(BackupError);
      expect(String(error)).toContain(sentence);
      expect(String(error)).not.toContain('\n');
      expect((await readdir(folder)).filter((name) => name.startsWith('place'))).toEqual([]);
    }),
  );

  test('reports what exists at the target path: nothing, a library or another file', () =>
    withLibrary(async (file, folder) => {
      expect(await restoreSqlite(join(folder, 'place.db')).existing()).toBeNull();
      expect(await restoreSqlite(file).existing()).toEqual({ library: null });
      const database = await openSqlite(file);
      const library = await database.library.findOrCreate(newId(), 7);
      await database.close();
      expect(await restoreSqlite(file).existing()).toEqual({ library });
      await writeFile(join(folder, 'text'), 'no database');
      expect(await restoreSqlite(join(folder, 'text')).existing()).toEqual({ library: null });
    }));

  test.each(['-wal', '-shm', '-journal'])("is refused next to another database's %s", (companion) =>
    withLibrary(async (_, folder) => {
      await writeFile(join(folder, `place.db${companion}`), '');
      expect(await outcomeOf(restoreSqlite(join(folder, 'place.db')).existing())).toThrow(
        `place.db${companion} belongs to another database`,
      );
    }),
  );

  test('removes leftovers of a killed restore', () =>
    withLibrary(async (file, folder) => {
      const place = join(folder, 'place.db');
      for (const suffix of ['', '-wal', '-shm']) await writeFile(`${place}.${newId()}.restoring${suffix}`, 'left');
      await writeFile(`${place}.mine.restoring`, 'mine');
      expect(await restore(file, place)).toBeNull();
      expect((await readdir(folder)).sort()).toEqual(['place.db', 'place.db.mine.restoring', 'source.db']);
    }));
});

describe('isLibraryAt', () => {
  test('is false for a missing file, an empty file and another program’s database, and leaves them unchanged', () =>
    withLibrary(async (file, folder) => {
      expect(await isLibraryAt(file)).toBe(true);
      expect(await isLibraryAt(join(folder, 'none.db'))).toBe(false);
      expect(await isLibraryAt(join(folder, 'no/folder/none.db'))).toBe(false);
      await writeFile(join(folder, 'empty.db'), '');
      expect(await isLibraryAt(join(folder, 'empty.db'))).toBe(false);
      const other = join(folder, 'other.db');
      change(other, 'create table bookmarks (x)');
      const before = await Bun.file(other).bytes();
      expect(await isLibraryAt(other)).toBe(false);
      expect(await Bun.file(other).bytes()).toEqual(before);
      expect((await readdir(folder)).sort()).toEqual(['empty.db', 'other.db', 'source.db']);
      await writeFile(other, 'This is a text about shelves. '.repeat(1000));
      expect(await outcomeOf(isLibraryAt(other))).toThrow('Cannot open the database');
    }));
});
