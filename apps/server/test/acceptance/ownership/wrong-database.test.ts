import { afterAll, beforeAll, describe, expect, setDefaultTimeout, test } from 'bun:test';
import { copyFileSync, existsSync, readdirSync, renameSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { freePort } from '@postshelf/testing/servers/free-port';
import { makeDatabase, realPostgres, withClient } from '@postshelf/testing/servers/postgres';
import { file } from '../support/multipart.ts';
import { command, jsonCommand, removeFolder, type Settings, scratchFolder, startServer } from '../support/server.ts';
import { until } from '../support/until.ts';
import { kinds, type Library, picture, refusal } from './support/libraries.ts';

setDefaultTimeout(120_000);

const postgres = await realPostgres('media beside a new PostgreSQL');

describe.each([...kinds])('media on $name', (kind) => {
  let library: Library;
  let before: Readonly<Record<string, string>>;
  let elsewhere: string;

  beforeAll(async () => {
    library = await kind.open();
    before = await library.media();
    expect(Object.keys(before).length).toBeGreaterThan(4);
    elsewhere = scratchFolder();
  });
  afterAll(async () => {
    await library.close();
    removeFolder(elsewhere);
  });

  const databaseFile = (): string => join(library.world.dataDir, 'postshelf.db');

  /** Everything is there; and with its own database the library starts, collects garbage, serves, and all still is. */
  async function expectUnharmed(): Promise<void> {
    expect(await library.media()).toEqual(before);
    const server = await startServer(library.world.dataDir, library.settings);
    try {
      await until('garbage was collected', () => server.log().includes('garbage collected'));
      const headers = { authorization: `Bearer ${library.world.tokens.all}` };
      const list = await fetch(
        `${server.url}/v1/workspaces/${library.world.ids.workspace}/media_contents?per_page=100`,
        { headers },
      );
      expect(list.status).toBe(200);
      const { data } = (await list.json()) as { data: { status: string }[] };
      expect(data.filter(({ status }) => status === 'active')).toHaveLength(3);
    } finally {
      expect(await server.end()).toBe(0);
    }
    expect(await library.media()).toEqual(before);
  }

  /** Serve, worker and migrate end with the line, and make nothing in the folder. */
  async function expectRefused(settings: Settings, ...parts: readonly string[]): Promise<void> {
    for (const name of ['serve', 'worker', 'migrate']) {
      const line = await refusal([name], { ...library.settings, PORT: String(await freePort()), ...settings });
      for (const part of [library.place, library.id, 'postshelf storage adopt', ...parts]) expect(line).toContain(part);
    }
    expect(await library.media()).toEqual(before);
  }

  test.skipIf(!postgres)('a new PostgreSQL gets no table, and takes nothing away', async () => {
    if (!postgres) return;
    const { url, remove } = await makeDatabase(postgres);
    try {
      await expectRefused({ DATABASE_URL: url }, 'there is no library in the database postgres://');
      expect(await refusal(['gc'], { ...library.settings, DATABASE_URL: url })).toContain('there is no library here');
      const tables = await withClient(url, (client) =>
        client.query(`select 1 from pg_tables where schemaname not in ('pg_catalog', 'information_schema')`),
      );
      expect(tables.rowCount).toBe(0);
    } finally {
      await remove();
    }
    await expectUnharmed();
  });

  test('a typo in sqlite: makes no database', async () => {
    const typo = join(elsewhere, 'postshlef.db');
    await expectRefused({ DATABASE_URL: `sqlite:${typo}` }, `sqlite:${typo}`);
    expect(await refusal(['gc'], { ...library.settings, DATABASE_URL: `sqlite:${typo}` })).toContain(typo);
    expect(existsSync(typo)).toBe(false);
    await expectUnharmed();
  });

  test('a database that was moved away is not made anew', async () => {
    const away = join(elsewhere, 'moved.db');
    renameSync(databaseFile(), away);
    const names = readdirSync(library.world.dataDir);
    await expectRefused({}, databaseFile());
    expect(await refusal(['gc'], library.settings)).toContain('there is no library here');
    expect(readdirSync(library.world.dataDir)).toEqual(names);
    renameSync(away, databaseFile());
    await expectUnharmed();
  });

  test('an empty database file stays empty', async () => {
    const away = join(elsewhere, 'emptied.db');
    renameSync(databaseFile(), away);
    writeFileSync(databaseFile(), '');
    await expectRefused({}, databaseFile());
    expect(await refusal(['gc'], library.settings)).toContain('there is no library here');
    expect(statSync(databaseFile()).size).toBe(0);
    rmSync(databaseFile());
    renameSync(away, databaseFile());
    await expectUnharmed();
  });

  test('a database of something else is not changed', async () => {
    const other = join(elsewhere, 'bookmarks.db');
    const { Database } = await import('bun:sqlite');
    const made = new Database(other);
    made.run('create table bookmarks (x)');
    made.close();
    const bytes = await Bun.file(other).bytes();
    await expectRefused({ DATABASE_URL: `sqlite:${other}` }, other);
    expect(await Bun.file(other).bytes()).toEqual(bytes);
    await expectUnharmed();
  });

  test('staging with a library of its own, pointed at these media, deletes nothing: at the start, and by gc', async () => {
    const staging = join(elsewhere, 'staging');
    const own = { DATA_DIR: staging, S3_BUCKET: undefined };
    await jsonCommand(['migrate'], own);
    await jsonCommand(['workspace', 'create', '--name', 'Staging'], own);
    const { library: id } = JSON.parse(await Bun.file(join(staging, 'media/.library')).text());
    const wrong = { DATABASE_URL: `sqlite:${join(staging, 'postshelf.db')}` };
    await expectRefused(wrong, id, `sqlite:${staging}`);
    const line = await refusal(['gc', '--older-than', '0s'], { ...library.settings, ...wrong });
    for (const part of [id, library.id, library.place]) expect(line).toContain(part);
    expect(await library.mark()).toMatchObject({ library: library.id });
    await expectUnharmed();
  });

  test('a server whose media become another library’s while it runs stops collecting garbage', async () => {
    const settings = { ...library.settings, LOG_FORMAT: 'json' };
    const server = await startServer(library.world.dataDir, settings);
    try {
      await until('garbage was collected', () => server.log().includes('garbage collected'));
      const other = join(elsewhere, 'adopting');
      const own = { DATA_DIR: other, S3_BUCKET: undefined };
      await jsonCommand(['migrate'], own);
      const wrong = { ...library.settings, DATABASE_URL: `sqlite:${join(other, 'postshelf.db')}` };
      expect(await jsonCommand(['storage', 'adopt', '--yes'], wrong)).toMatchObject({ problem: 'other_library' });
      expect((await command(['gc', '--older-than', '0s'], library.settings)).code).toBe(1);
      expect(await library.media()).toEqual(before);
      const back = await jsonCommand(['storage', 'adopt', '--yes'], library.settings);
      expect(back).toMatchObject({ adopted: library.id });
    } finally {
      await server.end();
    }
    await expectUnharmed();
  });

  test('an older copy of the database, put back beside newer media, is known for one', async () => {
    const copy = join(elsewhere, 'older.db');
    copyFileSync(databaseFile(), copy);
    const world = library.world;
    await world.restart();
    const newer = await world.storeOne(file('newer.png', picture(99)));
    await world.server.end();
    const all = await library.media();
    expect(Object.keys(all)).toContain(newer.full_name);
    const newest = join(elsewhere, 'newest.db');
    renameSync(databaseFile(), newest);
    copyFileSync(copy, databaseFile());
    const server = await startServer(world.dataDir, library.settings);
    try {
      await until('the copy is known', () => server.log().includes('older copy'));
      await until('garbage was collected', () => server.log().includes('garbage collected'));
    } finally {
      await server.end();
    }
    expect(await library.media()).toEqual(all);
    rmSync(databaseFile());
    renameSync(newest, databaseFile());
    await world.restart();
    await world.call(`DELETE /media_contents/${newer.id}`);
    await world.server.end();
    await expectUnharmed();
  });
});
