import { afterAll, beforeAll, describe, expect, test } from 'bun:test';
import { existsSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { makeDatabase, type RealPostgres, realPostgres, runSql } from '@postshelf/testing/servers/postgres';
import { onSqlite } from '../support/database.ts';
import { mp4, png } from '../support/fixtures.ts';
import { field, file } from '../support/multipart.ts';
import { inParallel, linesOf } from '../support/run.ts';
import {
  command,
  expectQuiet,
  jsonCommand,
  removeFolder,
  scratchFolder,
  spawnInTerminal,
  startServer,
} from '../support/server.ts';
import { onDisk } from '../support/storage.ts';
import { World } from '../support/world.ts';

const server = await realPostgres('copying a database by the command line');

let world: World;
/** The API's answers before the library was moved. */
let before: readonly unknown[];

const READS = [
  'GET /workspaces/{workspace}/media_contents',
  'GET /workspaces/{workspace}/media_library/folders',
  'GET /media_contents/{video}',
];

const answers = (of: World): Promise<unknown[]> => Promise.all(READS.map(async (read) => (await of.call(read)).json));

beforeAll(async () => {
  world = await World.openAlone({ ...onSqlite, ...onDisk });
  const folder = await world.folder('Ünïcode 🐈', await world.folder('Outer'));
  const video = await world.storeOne(
    file('clip.mp4', mp4()),
    field('folder_id', folder),
    field('label', 'Ein "Label"'),
  );
  world.ids.video = video.id;
  await world.store(file('one.png', png()), file('two.png', png()));
  const presigned = await world.call('POST /workspaces/{workspace}/media_contents/presign', {
    json: { files: [{ name: 'later.png', size: 10, mime: 'image/png' }] },
  });
  expect(presigned.status).toBe(201);
  before = await answers(world);
  await world.server.end();
});

afterAll(() => world.close());

/** Runs a test with a new, empty database on the server. */
async function withDatabase(postgres: RealPostgres, run: (url: string) => Promise<void>): Promise<void> {
  const { url, remove } = await makeDatabase(postgres);
  try {
    await run(url);
  } finally {
    await remove();
  }
}

describe.skipIf(!server)('postshelf copy --from sqlite: --to postgres://…', () => {
  if (!server) return;

  test('moves a library to PostgreSQL and back without changing the answers of the service', () =>
    withDatabase(server, async (url) => {
      const { settings } = world.server;
      const report = await jsonCommand(['copy', '--from', 'sqlite:', '--to', url], settings);
      expect(report).toMatchObject({
        from: `sqlite:${join(world.dataDir, 'postshelf.db')}`,
        problems: 0,
        examples: [],
        rows: report.copied,
      });
      expect(JSON.stringify(report)).not.toContain(new URL(url).password);
      expect(report.tables).toBeArray();

      const moved = await startServer(world.dataDir, { ...settings, DATABASE_URL: url });
      world.server = moved;
      try {
        expect(await answers(world)).toEqual([...before]);
        await world.folder('Made over PostgreSQL');
      } finally {
        await moved.end();
      }

      const back = join(world.dataDir, 'back.db');
      expect(await jsonCommand(['copy', '--from', url, '--to', `sqlite:${back}`], settings)).toMatchObject({
        problems: 0,
      });
      const again = await startServer(world.dataDir, { ...settings, DATABASE_URL: `sqlite:${back}` });
      world.server = again;
      try {
        const [media, folders, video] = await answers(world);
        expect([media, video]).toEqual([before[0], before[2]]);
        expect(JSON.stringify(folders)).toContain('Made over PostgreSQL');
      } finally {
        await again.end();
      }
    }));

  test('copies no row twice, and refuses a row that was changed in the target', () =>
    withDatabase(server, async (url) => {
      const args = ['copy', '--from', 'sqlite:', '--to', url];
      const first = await command(args, world.server.settings);
      expectQuiet(first);
      expect(first.stdout).toMatch(/^media +5 rows, 5 copied, SHA-256 [0-9a-f]{64}$/m);
      expect(linesOf(first.stdout).at(-1)).toMatch(
        /^Both have the same rows: counts and hashes are equal\. sqlite:.* is read-only from now on\.$/,
      );
      expect(first.stdout).not.toContain(new URL(url).password);
      const second = await command(args, world.server.settings);
      expect(second.stdout).toMatch(/^Copied 0 of \d+ rows from sqlite:/m);
      expect(second.stdout.replaceAll(/(?<=Copied |, )\d+(?= copied| of)/g, 'N')).toBe(
        first.stdout.replaceAll(/(?<=Copied |, )\d+(?= copied| of)/g, 'N'),
      );
      await runSql(url, "update folders set name = 'tampered' where name = 'Outer'");
      await expectComplaint(args, /has a row that differs.*folders [0-9a-f-]{36}/);
    }));

  test('refuses a target that has a row of another library, with one line that names the row', () =>
    withDatabase(server, async (url) => {
      const folder = scratchFolder();
      const other = { DATABASE_URL: url, DATA_DIR: folder };
      await jsonCommand(['migrate'], other);
      removeFolder(folder);
      await expectComplaint(
        ['copy', '--from', 'sqlite:', '--to', url],
        /has a row that .* lacks \(library [0-9a-f-]{36}\)/,
      );
    }));
});

test('postshelf copy shows a progress bar for each step in a terminal, and restores the terminal', async () => {
  const target = join(world.dataDir, 'watched.db');
  let shown = '';
  const decoder = new TextDecoder();
  const copying = spawnInTerminal(
    ['copy', '--from', 'sqlite:', '--to', `sqlite:${target}`],
    world.server.settings,
    (data) => {
      shown += decoder.decode(data, { stream: true });
    },
  );
  expect(await copying.exited).toBe(0);
  for (const step of ['copying', 'verifying']) {
    expect(shown).toMatch(new RegExp(`${step} +\\[=+\\] 100% {2}(\\d+) of \\1 rows`));
  }
  expect(shown).toContain('Both have the same rows');
  const changes = { 'a hidden cursor': '\u001b[?25l', 'lines that end at the edge': '\u001b[?7l' };
  for (const change of Object.values(changes)) expect(shown).not.toContain(change);
});

test('a service whose database was copied elsewhere starts read-only, and logs where the copy is', async () => {
  const target = `sqlite:${join(world.dataDir, 'moved.db')}`;
  await jsonCommand(['copy', '--from', 'sqlite:', '--to', target], world.server.settings);
  const old = await startServer(world.dataDir, { ...world.server.settings, DATABASE_URL: 'sqlite:' });
  world.server = old;
  try {
    expect(old.log()).toContain(`The library was copied to ${target}, which is now in use.`);
    expect((await world.call('GET /ready', { token: null })).status).toBe(503);
    expect((await world.call('GET /workspaces/{workspace}/media_contents')).status).toBe(200);
    const json = { name: 'Lost' };
    expect((await world.call('POST /workspaces/{workspace}/media_library/folders', { json })).status).toBe(503);
  } finally {
    await old.end();
  }
});

describe('postshelf copy fails with one line on standard error', () => {
  const missing = '/nowhere/postshelf.db';
  const rows: readonly (readonly [readonly string[], RegExp])[] = [
    [[], /--from URL --to URL, or --from-files DIR --to-s3/],
    [['--from', 'sqlite:'], /--from URL --to URL/],
    [['--from-files', '.'], /--from-files DIR --to-s3/],
    [['--from', 'sqlite:', '--to', 'sqlite:x.db', '--to-s3'], /--from URL --to URL, or/],
    [
      ['--from', `sqlite:${missing}`, '--to', 'sqlite:/nowhere/other.db'],
      /--from: there is no database \/nowhere\/postshelf\.db/,
    ],
    [['--from', 'sqlite:', '--to', 'sqlite:/nowhere/other.db'], /--to: Cannot open the database \/nowhere/],
    [
      ['--from', 'sqlite:', '--to', 'postgres://shelf:hidden@127.0.0.1:1/shelf'],
      /--to: Cannot open the database postgres:\/\/\[secret\]@127\.0\.0\.1:1\/shelf/,
    ],
    [['--from', 'sqlite:', '--to', 'mysql://localhost/shelf'], /--to: must be sqlite:/],
    [['--from', 'sqlite:', '--to', 'sqlite:'], /cannot be copied to itself/],
    [['--from', 'sqlite:', '--to', 'sqlite:x.db', '--no-hashes'], /--no-hashes is for media/],
  ];
  test('for invalid options or databases, and creates no database', async () => {
    await inParallel(rows, ([args, complaint]) => expectComplaint(['copy', ...args], complaint));
    expect(existsSync(missing)).toBe(false);
  });

  test('for a source that is not a library, and leaves it unchanged', async () => {
    const folder = scratchFolder();
    try {
      writeFileSync(join(folder, 'empty.db'), '');
      const args = ['copy', '--from', `sqlite:${join(folder, 'empty.db')}`, '--to', `sqlite:${join(folder, 'to.db')}`];
      await expectComplaint(args, /There is no library in sqlite:/);
      await expectComplaint(args, /There is no library in sqlite:/);
    } finally {
      removeFolder(folder);
    }
  });
});

async function expectComplaint(args: readonly string[], complaint: RegExp): Promise<void> {
  const { code, stdout, stderr } = await command(args, world.server.settings);
  expect({ failed: code === 1 || code === 2, stdout }).toEqual({ failed: true, stdout: '' });
  expect(stderr).toMatch(complaint);
  expect(linesOf(stderr)).toHaveLength(1);
  expect(stderr).not.toContain('hidden');
}
