import { Database } from 'bun:sqlite';
import { afterAll, beforeAll, describe, expect, test } from 'bun:test';
import { copyFileSync, existsSync, readdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { freePort } from '@postshelf/testing/servers/free-port';
import { makeDatabase, realPostgres, withClient } from '@postshelf/testing/servers/postgres';
import { hasFfmpeg } from '../support/ffmpeg.ts';
import { file } from '../support/multipart.ts';
import { command, jsonCommand, removeFolder, type Settings, scratchFolder, startServer } from '../support/server.ts';
import { until } from '../support/until.ts';
import { closeKinds, files, kinds, type Library, picture, refusal } from './support/libraries.ts';

const postgres = await realPostgres('media with a new PostgreSQL database');

afterAll(closeKinds);

/** A mistake that gives the service a database that doesn't belong to its media. */
interface Mistake {
  /** @param place a folder for files of the test */
  arrange(library: Library, place: string): Promise<Arranged> | Arranged;
}

interface Arranged {
  readonly settings: Settings;
  /**
   * Texts about the database that the errors of `serve`, `worker` and `migrate` contain. These errors also describe the
   * media.
   */
  readonly says: readonly string[];
  /** Texts that the error of `gc` contains. */
  readonly gcSays: readonly string[];
  /** Checks that the commands neither created a database nor changed the wrong one, and puts the right one back. */
  end(): Promise<void> | void;
}

const NO_LIBRARY = ['there is no library here'];
const databaseOf = (library: Library): string => join(library.world.dataDir, 'postshelf.db');

const mistakes: Readonly<Record<string, Mistake>> = {
  'a typo in DATABASE_URL creates no database': {
    arrange(_, place) {
      const typo = join(place, 'postshlef.db');
      return {
        settings: { DATABASE_URL: `sqlite:${typo}` },
        says: [`sqlite:${typo}`],
        gcSays: [typo],
        end: () => expect(existsSync(typo)).toBe(false),
      };
    },
  },
  'a database that was moved away is not created again': {
    arrange(library, place) {
      const own = databaseOf(library);
      renameSync(own, join(place, 'moved.db'));
      const names = readdirSync(library.world.dataDir);
      return {
        settings: {},
        says: [own],
        gcSays: NO_LIBRARY,
        end() {
          expect(readdirSync(library.world.dataDir)).toEqual(names);
          renameSync(join(place, 'moved.db'), own);
        },
      };
    },
  },
  'an empty database file stays empty': {
    arrange(library, place) {
      const own = databaseOf(library);
      renameSync(own, join(place, 'emptied.db'));
      writeFileSync(own, '');
      return {
        settings: {},
        says: [own],
        gcSays: NO_LIBRARY,
        end() {
          expect(readFileSync(own)).toHaveLength(0);
          rmSync(own);
          renameSync(join(place, 'emptied.db'), own);
        },
      };
    },
  },
  'a database of another program is not changed': {
    arrange(_, place) {
      const other = join(place, 'bookmarks.db');
      const made = new Database(other);
      made.run('create table bookmarks (x)');
      made.close();
      const bytes = readFileSync(other);
      return {
        settings: { DATABASE_URL: `sqlite:${other}` },
        says: [other],
        gcSays: NO_LIBRARY,
        end: () => expect(readFileSync(other)).toEqual(bytes),
      };
    },
  },
  'a database of another library is refused': {
    async arrange(library, place) {
      const staging = join(place, 'staging');
      const id = await makeLibrary(staging);
      return {
        settings: { DATABASE_URL: `sqlite:${join(staging, 'postshelf.db')}` },
        says: [id, `sqlite:${staging}`],
        gcSays: [id, library.id, library.place],
        end: () => undefined,
      };
    },
  },
  ...(postgres && {
    'a new PostgreSQL database gets no table': {
      async arrange() {
        const { url, remove } = await makeDatabase(postgres);
        const query = `select 1 from pg_tables where schemaname not in ('pg_catalog', 'information_schema')`;
        return {
          settings: { DATABASE_URL: url },
          says: ['there is no library in the database postgres://'],
          gcSays: NO_LIBRARY,
          async end() {
            const tables = await withClient(url, (client) => client.query(query));
            await remove();
            expect(tables.rowCount).toBe(0);
          },
        };
      },
    },
  }),
};

/** Creates a library with a workspace and storage in a folder, and returns the library's id. */
async function makeLibrary(dataDir: string): Promise<string> {
  const own = { DATA_DIR: dataDir, S3_BUCKET: undefined };
  await jsonCommand(['migrate'], own);
  await jsonCommand(['workspace', 'create', '--name', 'Staging'], own);
  return JSON.parse(readFileSync(join(dataDir, 'media/.library'), 'utf8')).library;
}

describe.each([...kinds])('media on $name', (kind) => {
  let library: Library;
  let before: Readonly<Record<string, string>>;
  let mark: Awaited<ReturnType<Library['mark']>>;
  let elsewhere: string;

  beforeAll(async () => {
    library = await kind.open();
    [before, mark] = await Promise.all([library.media(), library.mark()]);
    expect(Object.keys(before).length).toBeGreaterThan(hasFfmpeg ? 4 : 3);
    elsewhere = scratchFolder();
  });
  afterAll(async () => {
    await library.close();
    removeFolder(elsewhere);
  });

  /** Checks that, with its own database, the service starts, lists the three active items, and loses no media. */
  async function expectUnharmed(): Promise<void> {
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

  // The same code checks the mark in both kinds of storage, so for S3 one service, `gc` and two mistakes are enough.
  const services = kind === files ? ['serve', 'worker', 'migrate'] : ['serve'];
  const tried = Object.entries(mistakes).filter(([name]) => kind === files || /typo|another library/.test(name));

  test.each(tried)('%s, and no media are removed', async (_, mistake) => {
    const { settings, says, gcSays, end } = await mistake.arrange(library, elsewhere);
    const own = { ...library.settings, PORT: String(await freePort()), ...settings };
    const [gc, ...lines] = await Promise.all(
      [['gc', '--older-than', '0s'], ...services.map((name) => [name])].map((args) => refusal(args, own)),
    );
    for (const line of lines)
      for (const part of [library.place, library.id, 'postshelf storage adopt', ...says]) expect(line).toContain(part);
    for (const part of gcSays) expect(gc).toContain(part);
    expect(await library.media()).toEqual(before);
    expect(await library.mark()).toEqual(mark);
    await end();
  });

  test('are served as before with the right database', expectUnharmed);

  test('are not collected as garbage by their former library after another library adopts them', async () => {
    const server = await startServer(library.world.dataDir, { ...library.settings, LOG_FORMAT: 'json' });
    try {
      await until('garbage was collected', () => server.log().includes('garbage collected'));
      const other = join(elsewhere, 'adopting');
      await makeLibrary(other);
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

  if (kind !== files) return;

  test('are all kept if the database is an older copy, and the service is read-only', async () => {
    const { world } = library;
    const older = join(elsewhere, 'older.db');
    copyFileSync(databaseOf(library), older);
    await world.restart();
    const newer = await world.storeOne(file('newer.png', picture(99)));
    await world.server.end();
    // This changes the fence, as a service does after it has run for some minutes.
    await library.putMark(JSON.stringify({ ...(await library.mark()), fence: 'changed since' }));
    const all = await library.media();
    expect(Object.keys(all)).toContain(newer.full_name);
    copyFileSync(older, databaseOf(library));
    const server = await startServer(world.dataDir, library.settings);
    try {
      expect(server.log()).toContain('is a copy or an older state');
      expect((await fetch(`${server.url}/ready`)).status).toBe(503);
      const written = await fetch(`${server.url}/v1/workspaces/any/media_library/folders`, { method: 'POST' });
      expect({ status: written.status, text: await written.text() }).toMatchObject({ status: 503 });
    } finally {
      await server.end();
    }
    expect(await library.media()).toEqual(all);
  });
});
