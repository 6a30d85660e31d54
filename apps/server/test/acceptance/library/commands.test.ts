import { afterAll, describe, expect, test } from 'bun:test';
import { existsSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { gunzipSync } from 'node:zlib';
import { freePort } from '@postshelf/testing/servers/free-port';
import { makeDatabase, realPostgres, withClient } from '@postshelf/testing/servers/postgres';
import { onSqlite } from '../support/database.ts';
import { hasFfmpeg } from '../support/ffmpeg.ts';
import { arrayAt, stringAt } from '../support/reply.ts';
import {
  command,
  jsonCommand,
  jwtSecret,
  removeFolder,
  type Settings,
  scratchFolder,
  startServer,
} from '../support/server.ts';
import { onDisk } from '../support/storage.ts';
import { until } from '../support/until.ts';
import { World } from '../support/world.ts';
import { closeKinds, files, kinds, refusal } from './support/libraries.ts';

afterAll(closeKinds);

const ANY_ID = '01890000-0000-7000-8000-000000000000';

/** All commands that need an existing library. */
const COMMANDS: readonly (readonly string[])[] = [
  ['workspace', 'create', '--name', 'X'],
  ['workspace', 'list'],
  ['token', 'create', '--workspace', ANY_ID],
  ['token', 'list'],
  ['token', 'revoke', ANY_ID],
  ['token', 'reset-secret', '--yes'],
  ['gc', '--older-than', '0s'],
  ['verify'],
  ['media', 'inspect'],
  ['backup', 'nothing.tar'],
];

async function inScratch(run: (folder: string) => Promise<void>): Promise<void> {
  const folder = scratchFolder();
  try {
    await run(folder);
  } finally {
    removeFolder(folder);
  }
}

/** Four of these commands: two that create something, one that removes files, and one that only reads. */
const SOME = COMMANDS.filter(([name, what]) => name === 'gc' || what === 'create' || name === 'backup');

/** Row: a location without a library, the settings that point the commands to it, and the commands to run. */
const PLACES: readonly (readonly [string, (folder: string) => Settings, typeof COMMANDS])[] = [
  ['with an empty DATA_DIR', (folder) => ({ DATA_DIR: folder }), SOME],
  ['with a missing DATA_DIR', (folder) => ({ DATA_DIR: join(folder, 'none') }), SOME],
  [
    'with a typo in DATABASE_URL',
    (folder) => ({ DATA_DIR: folder, DATABASE_URL: `sqlite:${folder}/typo.db` }),
    COMMANDS,
  ],
];

/** Runs commands at the same time. Checks that each one reports a missing library, and that none creates anything. */
async function expectNoLibrary(commands: typeof COMMANDS, folder: string, settings: Settings): Promise<void> {
  await Promise.all(
    commands.map(async (args) => {
      const given = args.map((arg) => (arg === 'nothing.tar' ? join(folder, arg) : arg));
      const line = await refusal(given, { ...settings, JWT_SECRET: undefined });
      const { DATABASE_URL: url = `${settings.DATA_DIR}/postshelf.db` } = settings;
      expect(line).toContain('there is no library here');
      if (url.startsWith('postgres')) expect(line).not.toContain(new URL(url).password);
      else expect(line).toContain(url);
    }),
  );
  expect(readdirSync(folder)).toEqual([]);
}

test.each(PLACES)('commands %s report that there is no library, and create nothing', (_, settingsIn, commands) =>
  inScratch((folder) => expectNoLibrary(commands, folder, settingsIn(folder))),
);

const postgres = await realPostgres('commands on a new PostgreSQL database');

test.skipIf(!postgres)(
  'commands on a new PostgreSQL database report that there is no library, and create no table',
  async () => {
    if (!postgres) return;
    const { url, remove } = await makeDatabase(postgres);
    try {
      await inScratch((folder) => expectNoLibrary(SOME, folder, { DATA_DIR: folder, DATABASE_URL: url }));
      const query = `select 1 from pg_tables where schemaname = 'public'`;
      expect((await withClient(url, (client) => client.query(query))).rowCount).toBe(0);
    } finally {
      await remove();
    }
  },
);

test('a command on an older schema asks for a migration, and changes nothing', () =>
  inScratch(async (folder) => {
    const former = '../../../../../packages/database/test/fixtures/former/library.sqlite.gz';
    const path = join(folder, 'postshelf.db');
    await Bun.write(path, gunzipSync(await Bun.file(join(import.meta.dir, former)).bytes()));
    expect(await refusal(['workspace', 'list'], { DATA_DIR: folder })).toContain('run postshelf migrate');
    const { Database } = await import('bun:sqlite');
    const database = new Database(path, { readonly: true });
    expect(database.query('select count(*) as count from kysely_migration').all()).toEqual([{ count: 38 }]);
    database.close();
  }));

test("only migrate --into-shared-database accepts a database with another program's tables", () =>
  inScratch(async (folder) => {
    const { Database } = await import('bun:sqlite');
    const database = new Database(join(folder, 'postshelf.db'));
    database.run('create table invoices (id integer)');
    const settings = { DATA_DIR: folder };
    for (const args of [['migrate'], ['serve']])
      expect(await refusal(args, settings)).toMatch(/another program \(invoices\).*--into-shared-database/);
    expect(database.query('select name from sqlite_schema').all()).toEqual([{ name: 'invoices' }]);
    await jsonCommand(['migrate', '--into-shared-database'], settings);
    expect(database.query('select * from invoices').all()).toEqual([]);
    database.close();
    await (await startServer(folder, {})).end();
  }));

test('commands report a missing media folder and do not create it', () =>
  inScratch(async (folder) => {
    const settings = { DATA_DIR: folder };
    await jsonCommand(['migrate'], settings);
    rmSync(join(folder, 'media'), { recursive: true });
    expect(await refusal(['gc'], settings)).toContain(`there is no folder ${folder}/media`);
    expect(existsSync(join(folder, 'media'))).toBe(false);
  }));

describe('a JWT_SECRET other than the library’s', () => {
  const other = 'another-secret-0123456789abcdef0123456789abcdef0123456789abcdef';

  test('makes serve and token create fail with one line, while other commands work', () =>
    inScratch(async (folder) => {
      const settings = { DATA_DIR: folder };
      const server = await startServer(folder, {});
      try {
        const second = { ...settings, PORT: String(await freePort()), JWT_SECRET: other };
        const line = await refusal(['serve'], second);
        for (const part of ['JWT_SECRET', 'token reset-secret']) expect(line).toContain(part);
        for (const secret of [other, jwtSecret]) expect(line).not.toContain(secret);
        const { id } = await jsonCommand(['workspace', 'create', '--name', 'X'], second);
        expect(await refusal(['token', 'create', '--workspace', String(id)], second)).toContain('JWT_SECRET');
        expect(await refusal(['serve'], { ...second, JWT_SECRET: undefined })).toContain('JWT_SECRET: is not set');
        expect(readdirSync(folder)).not.toContain('jwt-secret');
        // A command that issues no tokens needs no secret.
        expect(await command(['gc'], { ...second, JWT_SECRET: undefined })).toMatchObject({ code: 0 });
        await (await startServer(folder, {})).end();
      } finally {
        await server.end();
      }
    }));

  test('is accepted after token reset-secret --yes', () =>
    inScratch(async (folder) => {
      const settings = { DATA_DIR: folder };
      await (await startServer(folder, {})).end();
      const asked = await command(['token', 'reset-secret'], settings);
      expect(asked).toMatchObject({ code: 0, stdout: expect.stringContaining('Nothing was changed') });
      expect(await refusal(['serve'], { ...settings, JWT_SECRET: other })).toContain('JWT_SECRET');
      expect(await jsonCommand(['token', 'reset-secret', '--yes'], settings)).toEqual({ reset: true, tokens: 0 });
      await (await startServer(folder, { JWT_SECRET: other })).end();
      expect(await refusal(['serve'], { ...settings, JWT_SECRET: jwtSecret })).toContain('JWT_SECRET');
    }));

  test('is generated by the next start after a generated secret was reset', () =>
    inScratch(async (folder) => {
      const settings = { DATA_DIR: folder, JWT_SECRET: undefined };
      await (await startServer(folder, settings)).end();
      const before = readFileSync(join(folder, 'jwt-secret'), 'utf8');
      expect(await jsonCommand(['token', 'reset-secret', '--yes'], settings)).toEqual({ reset: true, tokens: 0 });
      expect(readdirSync(folder)).not.toContain('jwt-secret');
      await (await startServer(folder, settings)).end();
      expect(readFileSync(join(folder, 'jwt-secret'), 'utf8')).not.toBe(before);
    }));
});

describe('the secret of a library', () => {
  test('token reset-secret invalidates tokens, sessions, sign-in links and calendars, even across a restart', async () => {
    const world = await World.openAlone();
    try {
      await world.operator();
      const id = await world.token('another', '{workspace}');
      const { link } = await world.command(['token', 'sign-in-link', id]);
      const code = String(link).split('#code=')[1];
      const headers = { origin: new URL(world.server.url).origin };
      const signIn = (json: unknown) => world.call('POST /sessions', { token: null, headers, json });
      const cookie = (await signIn({ token: world.tokens.another })).headers.get('set-cookie')?.split(';')[0] ?? '';
      const made = await world.call('POST /workspaces/{workspace}/calendars', { json: {} });
      const calendar = new URL(stringAt(made.json, 'data', 'url'));
      const list = (headers: Readonly<Record<string, string>>) =>
        world.call('GET /workspaces/{workspace}/media_contents', { token: null, headers });
      expect((await list({ cookie })).status).toBe(200);

      expect(await world.run(['token', 'reset-secret'])).toContain('It revokes all 4 valid tokens');
      expect((await list({ cookie })).status).toBe(200);
      expect(await world.command(['token', 'reset-secret', '--yes'])).toEqual({ reset: true, tokens: 4 });
      const statuses = async () => [
        (await list({ cookie })).status,
        (await signIn({ code })).status,
        (await list({ authorization: `Bearer ${world.tokens.all}` })).status,
        (await fetch(`${world.server.url}${calendar.pathname}${calendar.search}`)).status,
      ];
      expect(await statuses()).toEqual([401, 401, 401, 404]);
      const { data } = await world.command(['token', 'list']);
      expect(data).toHaveLength(4);
      for (const token of data as readonly Record<string, unknown>[]) expect(token.revoked_at).toBeString();
      await world.server.end();
      await world.restart();
      expect(await statuses()).toEqual([401, 401, 401, 404]);
    } finally {
      await world.close();
    }
  });

  test('/ready reports a secret that is deleted, changed or reset while the service runs', async () => {
    const world = await World.openAlone({ ...onSqlite, JWT_SECRET: undefined });
    const path = join(world.dataDir, 'jwt-secret');
    const secret = readFileSync(path, 'utf8');
    const reasons = async () => {
      const reply = await world.call('GET /ready', { token: null });
      return reply.status === 200 ? '' : arrayAt(reply.json, 'reasons').join();
    };
    try {
      expect(await reasons()).toBe('');
      rmSync(path);
      expect(await reasons()).toContain(`${path} is gone`);
      const saved = await command(['backup', join(world.dataDir, 'list.tar')], world.server.settings);
      expect(saved).toMatchObject({ code: 0, stderr: expect.stringContaining('The backup lacks the right secret.') });
      await until('the log reports it', () => world.server.log().includes(`${path} is gone`), 60_000);
      const { code, stderr } = await command(['serve'], { ...world.server.settings, PORT: String(await freePort()) });
      expect(`${code} ${stderr}`).toStartWith('1 ');
      writeFileSync(path, 'x'.repeat(64));
      expect(await reasons()).toContain(`${path} was changed`);
      writeFileSync(path, secret);
      expect(await reasons()).toBe('');
      await world.command(['token', 'reset-secret', '--yes']);
      expect(await reasons()).toContain('was reset');
    } finally {
      await world.close();
    }
  });

  test('verify detects a damaged secret, and restore detects one in a backup', () =>
    inScratch(async (folder) => {
      const world = await World.openAlone({ ...onSqlite, ...onDisk, JWT_SECRET: undefined });
      try {
        const path = join(world.dataDir, 'jwt-secret');
        const secret = readFileSync(path, 'utf8').trim();
        const backup = join(folder, 'backup.tar');
        await world.run(['backup', backup]);
        const bytes = readFileSync(backup);
        const at = bytes.indexOf(secret);
        expect(at).toBeGreaterThan(0);
        bytes[at] = (bytes[at] ?? 0) ^ 1;
        writeFileSync(backup, bytes);
        const settings = { ...world.server.settings, DATA_DIR: join(folder, 'restored') };
        const restored = await command(['restore', backup], settings);
        expect(restored.code).toBe(1);
        expect(restored.stdout).toContain('jwt-secret  is damaged in the backup, and was not restored');
        expect(restored.stdout).toContain('token reset-secret --yes');
        expect(readdirSync(join(folder, 'restored'))).not.toContain('jwt-secret');
        const media = join(world.dataDir, 'media');
        for (const args of [['verify'], ['verify', '--repair-from', media]]) {
          const { code, stdout } = await command([...args, '--json'], settings);
          const problem = expect.stringContaining(`${settings.DATA_DIR} contains none`);
          expect({ code, ...JSON.parse(stdout) }).toMatchObject({ code: 1, secret_problem: problem });
        }

        expect(await world.command(['verify'])).toMatchObject({ secret_problem: null });
        writeFileSync(path, `${bytes.subarray(at, at + secret.length)}\n`);
        const verified = await command(['verify'], world.server.settings);
        expect(verified.code).toBe(1);
        expect(verified.stdout).toContain('The secret that signs tokens does not belong to library');
        expect(verified.stdout).not.toContain(secret);
      } finally {
        await world.close();
      }
    }));
});

describe('storage adopt', () => {
  test('shows which libraries the database and the media belong to, and changes nothing without --yes', async () => {
    const library = await files.open();
    const before = await library.media();
    await inScratch(async (folder) => {
      const own = { DATA_DIR: folder, S3_BUCKET: undefined };
      await jsonCommand(['migrate'], own);
      await jsonCommand(['workspace', 'create', '--name', 'Staging'], own);
      const wrong = { ...library.settings, DATABASE_URL: `sqlite:${folder}/postshelf.db` };
      const mark = await library.mark();
      const { code, stdout } = await command(['storage', 'adopt'], wrong);
      expect(code).toBe(0);
      for (const part of [
        library.id,
        library.place,
        folder,
        'Staging',
        'Nothing was changed',
        '--yes',
        'gc --yes-really',
      ])
        expect(stdout).toContain(part);
      expect(await library.mark()).toEqual(mark);
      const shown = await jsonCommand(['storage', 'adopt'], wrong);
      expect(shown).toMatchObject({
        adopted: null,
        problem: 'other_library',
        database: { workspaces: ['Staging'], items: 0 },
        storage: { library: library.id, objects_looked_at: hasFfmpeg ? 4 : 3, objects_known: 0 },
      });
      const { adopted } = await jsonCommand(['storage', 'adopt', '--yes'], wrong);
      expect(await library.mark()).toMatchObject({ library: adopted });
      await (await startServer(library.world.dataDir, wrong)).end();
      expect((await command(['gc', '--older-than', '0s'], wrong)).code).toBeLessThanOrEqual(1);
      expect(await library.media()).toEqual(before);
    });
    await library.close();
  });

  test('creates a database for media without one, and keeps the media', async () => {
    const library = await files.open();
    const before = await library.media();
    rmSync(join(library.world.dataDir, 'postshelf.db'));
    const shown = await command(['storage', 'adopt'], library.settings);
    expect(`${shown.code} ${shown.stdout}`).toMatch(/^0 Database .*: none\.[\s\S]*a database is created/);
    expect(readdirSync(library.world.dataDir)).not.toContain('postshelf.db');
    const { adopted } = await jsonCommand(['storage', 'adopt', '--yes'], library.settings);
    expect(await library.mark()).toMatchObject({ library: adopted });
    await (await startServer(library.world.dataDir, library.settings)).end();
    expect(await library.media()).toEqual(before);
    await library.close();
  });

  test('does nothing to an intact library, and repairs an unreadable mark', async () => {
    const library = await files.open();
    const all = await command(['storage', 'adopt', '--yes'], library.settings);
    expect(all).toMatchObject({ code: 0, stdout: expect.stringContaining('nothing to do') });
    await library.putMark('?');
    expect(await refusal(['serve'], library.settings)).toContain('not the mark of a library');
    expect(await jsonCommand(['storage', 'adopt', '--yes'], library.settings)).toMatchObject({ adopted: library.id });
    await (await startServer(library.world.dataDir, library.settings)).end();
    await library.close();
  });
});

describe.each([...kinds].slice(1))('copying to $name', (kind) => {
  test('marks an empty bucket as the library’s own, and refuses the bucket of another library', async () => {
    const [source, other, target] = await Promise.all([files.open(), kind.open(), kind.empty()]);
    const media = join(source.world.dataDir, 'media');
    const args = ['copy', '--from-files', media, '--to-s3'];
    const leading = (to: { settings: Settings }) => ({ ...to.settings, DATA_DIR: source.world.dataDir });
    const before = await other.media();
    const line = await refusal(args, leading(other));
    for (const part of [source.id, other.id]) expect(line).toContain(part);
    expect(await other.media()).toEqual(before);
    expect(await command(args, leading(target))).toMatchObject({ code: 0 });
    expect(await target.mark()).toMatchObject({ library: source.id, restoring: null });
    await (await startServer(source.world.dataDir, leading(target))).end();
    for (const each of [source, other, target]) await each.close();
  });
});

test.skipIf(!postgres)('a library whose rows were copied to PostgreSQL starts with the same media', async () => {
  if (!postgres) return;
  const library = await files.open();
  const { url, remove } = await makeDatabase(postgres);
  try {
    const before = await library.media();
    expect(await command(['copy', '--from', 'sqlite:', '--to', url], library.settings)).toMatchObject({ code: 0 });
    await (await startServer(library.world.dataDir, { ...library.settings, DATABASE_URL: url })).end();
    expect(await library.media()).toEqual(before);
    const { stdout } = await command(['storage', 'adopt'], library.settings);
    expect(stdout).toMatch(
      /\nThe library was copied to postgres:.*\. Stop the services that use it there first\.\nNothing/,
    );
  } finally {
    await library.close();
    await remove();
  }
});
