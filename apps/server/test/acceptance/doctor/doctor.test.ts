import { afterAll, beforeAll, describe, expect, test } from 'bun:test';
import { chmodSync, existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { createServer, type Server as TcpServer } from 'node:net';
import { join } from 'node:path';
import { gunzipSync } from 'node:zlib';
import { testsThatNeed } from '@postshelf/testing/programs';
import { makeBucket, realS3 } from '@postshelf/testing/servers/s3';
import { figures } from '../operate/support/figures.ts';
import { onSqlite } from '../support/database.ts';
import { filesBelow } from '../support/disk.ts';
import { jpeg } from '../support/fixtures.ts';
import { file } from '../support/multipart.ts';
import { settingsOf } from '../support/s3.ts';
import { command, freePort, removeFolder, type Settings, scratchFolder } from '../support/server.ts';
import { onDisk } from '../support/storage.ts';
import { until } from '../support/until.ts';
import { World } from '../support/world.ts';

const NAMES = 'settings database storage secret clock disk inodes ffmpeg bucket proxy links backup verify jobs'.split(
  ' ',
);

/** A library of the last release before 1.0. */
const FORMER = new URL('../../../../../packages/database/test/fixtures/former/library.sqlite.gz', import.meta.url);

interface Check {
  readonly name: string;
  readonly verdict: 'ok' | 'warning' | 'problem';
  readonly found: string;
  readonly remedy: string | null;
}

/**
 * Runs the command with the server's settings, some of which are changed.
 *
 * @param hasFfmpeg whether the command finds ffmpeg. Most tests do without it, because each check starts it four times
 * @returns the checks by name, and the exit code
 */
async function doctor(world: World, changed: Settings = {}, hasFfmpeg = false) {
  const settings = { ...world.server.settings, ...(hasFfmpeg ? {} : { FFMPEG_PATH: '/no/ffmpeg' }), ...changed };
  const { code, stdout, stderr } = await command(['doctor', '--json'], settings);
  expect(stderr).toBe('');
  const { checks }: { checks: Check[] } = JSON.parse(stdout);
  expect(checks.map(({ name }) => name)).toEqual(NAMES);
  for (const { verdict, remedy } of checks) if (verdict === 'warning') expect(remedy).not.toBeNull();
  expect(code).toBe(checks.some(({ verdict }) => verdict === 'problem') ? 1 : 0);
  return { code, all: stdout, of: Object.fromEntries(checks.map((check) => [check.name, check])) };
}

/** The names of the checks that aren't ok. */
const wrong = ({ of }: Awaited<ReturnType<typeof doctor>>) =>
  Object.values(of).flatMap(({ name, verdict }) => (verdict === 'ok' ? [] : [`${name} ${verdict}`]));

let world: World;
beforeAll(async () => {
  world = await World.openAlone({ ...onSqlite, ...onDisk, JWT_SECRET: undefined });
  await world.storeOne(file('beach.jpg', jpeg()));
});
afterAll(() => world.close());

describe('postshelf doctor with SQLite and files', () => {
  test('finds no problem once there is a backup, and leaves nothing behind', async () => {
    const timeOf = async (name: string) =>
      (await figures(world)).get(`postshelf_${name}_timestamp_seconds`) ?? Number.NaN;
    await until('the first check of all objects is over', async () => (await timeOf('media_check_last_finished')) > 0);
    expect(wrong(await doctor(world, {}, true))).toEqual(['backup warning']);
    await world.run(['backup', join(world.dataDir, 'backup.tar')]);
    await world.run(['verify']);
    const before = filesBelow(world.dataDir).filter((path) => !path.includes('postshelf.db'));
    const [result, lines] = await Promise.all([doctor(world, {}, true), world.run(['doctor'])]);
    expect({ code: result.code, wrong: wrong(result) }).toEqual({ code: 0, wrong: [] });
    const rows = lines.trimEnd().split('\n').slice(1);
    expect(rows.map((row) => row.split(/ +/).slice(0, 2))).toEqual(NAMES.map((name) => ['ok', name]));
    expect(filesBelow(world.dataDir).filter((path) => !path.includes('postshelf.db'))).toEqual(before);
    const now = Date.now() / 1000;
    for (const name of ['backup', 'verify']) {
      const at = await timeOf(`${name}_last`);
      expect(at).toBeGreaterThan(now - 60);
      expect(at).toBeLessThanOrEqual(now);
    }
  });

  test('reports several problems together, each with a remedy', async () => {
    const secret = join(world.dataDir, 'jwt-secret');
    const old = Date.now() - 5 * 24 * 3_600_000;
    chmodSync(secret, 0o644);
    await world.database.change(`update library set backed_up_at = ${old}`);
    const id = '019e0000-0000-7000-8000-000000000000';
    // A deletion that garbage collection should have completed days ago, because the upload URL expired then.
    await world.database.change(
      `insert into deletions (id, is_upload, full_name, deleted_at) values ('${id}', 1, null, ${old})`,
    );
    try {
      const result = await doctor(world, {
        FFMPEG_PATH: '/no/ffmpeg',
        MIN_FREE_DISK_MB: '900000000',
        RATE_LIMIT_PER_MINUTE: 'many',
      });
      expect(wrong(result)).toEqual([
        'settings problem',
        'secret problem',
        'disk problem',
        'ffmpeg problem',
        'backup warning',
        'jobs problem',
      ]);
      const { settings, secret: mode, disk, ffmpeg, backup, jobs } = result.of;
      expect(settings?.found).toContain('RATE_LIMIT_PER_MINUTE: must be a whole number');
      expect([mode?.found, mode?.remedy]).toEqual([
        expect.stringContaining('0644'),
        expect.stringContaining(`chmod 600 ${secret}`),
      ]);
      expect(disk?.remedy).toContain('MIN_FREE_DISK_MB');
      expect(ffmpeg?.found).toContain('/no/ffmpeg');
      expect(backup?.found).toContain('5 days ago');
      expect(jobs?.found).toMatch(/deletions for 5 days; .*, although a service is running$/);
    } finally {
      chmodSync(secret, 0o600);
      await world.database.change('update library set backed_up_at = null');
      await world.database.change('delete from deletions');
    }
  });

  test('reports and ends an ffmpeg that hangs', async () => {
    const folder = scratchFolder();
    try {
      const script = join(folder, 'ffmpeg');
      const pids = join(folder, 'pids');
      writeFileSync(script, `#!/bin/sh\necho $$ >>'${pids}'\nexec sleep 600\n`, { mode: 0o755 });
      const { ffmpeg } = (await doctor(world, { FFMPEG_PATH: script })).of;
      expect(ffmpeg).toEqual({
        name: 'ffmpeg',
        verdict: 'problem',
        found: `${script} does not answer`,
        remedy: 'Correct FFMPEG_PATH, or install another ffmpeg.',
      });
      const started = readFileSync(pids, 'utf8').trim().split('\n');
      for (const pid of started) await until('it has ended', () => !existsSync(`/proc/${pid}`));
    } finally {
      removeFolder(folder);
    }
  });

  test('reports the missing migrations of a library from before 1.0', async () => {
    const folder = scratchFolder();
    try {
      writeFileSync(join(folder, 'postshelf.db'), gunzipSync(readFileSync(FORMER)));
      const { stdout } = await command(['doctor', '--json'], { DATA_DIR: folder });
      const { checks }: { checks: Check[] } = JSON.parse(stdout);
      expect(checks.find(({ name }) => name === 'database')).toEqual({
        name: 'database',
        verdict: 'problem',
        found: expect.stringMatching(
          /lacks the migration 1000-baseline, 1001-jobs, 1002-archives, 1003-focal-points, 1004-punctuation, 1005-ignored-signs: run postshelf migrate$/,
        ),
        remedy: null,
      });
    } finally {
      removeFolder(folder);
    }
  });

  test('reports a database of a newer version, without the remedies for a database that cannot be read', async () => {
    await world.database.change("insert into kysely_migration values ('9999-future', '2030-01-01T00:00:00.000Z')");
    try {
      expect((await doctor(world)).of.database).toMatchObject({
        found: expect.stringMatching(
          /made by a newer Postshelf .*9999-future\): upgrade the program or restore a backup$/,
        ),
        remedy: null,
      });
    } finally {
      await world.database.change("delete from kysely_migration where name = '9999-future'");
    }
  });

  test('fetches an item from PUBLIC_URL as networks do', async () => {
    const reached = await doctor(world, { PUBLIC_URL: world.server.url });
    expect(reached.of.links).toMatchObject({ verdict: 'ok', found: "networks' crawlers can fetch media here (image)" });
    const { links } = (await doctor(world, { PUBLIC_URL: 'http://127.0.0.1:1' })).of;
    expect(links).toMatchObject({
      verdict: 'warning',
      found: expect.stringContaining('image: The server at 127.0.0.1 refused the connection.'),
    });
  });

  test('runs all other checks despite an invalid setting, and shows no secrets', async () => {
    const url = 'postgres://postshelf:hunter2secret@127.0.0.1:1/none';
    const result = await doctor(world, {
      DATABASE_URL: url,
      S3_BUCKET: 'media',
      S3_SECRET_ACCESS_KEY: 'key-of-the-store',
    });
    const { database, storage, secret, disk } = result.of;
    expect(database).toMatchObject({ verdict: 'problem', found: expect.stringContaining('127.0.0.1:1/none') });
    expect(storage?.found).toContain('S3_ACCESS_KEY_ID: is missing');
    expect([secret?.verdict, disk?.verdict]).toEqual(['ok', 'ok']);
    expect(result.all).not.toMatch(/hunter2secret|key-of-the-store/);
  });

  test('reports the media of another library, and a file that is not a database', async () => {
    const other = scratchFolder();
    try {
      const settings = { DATA_DIR: other, DATABASE_URL: `sqlite:${join(world.dataDir, 'postshelf.db')}` };
      expect((await doctor(world, settings)).of.storage).toMatchObject({
        verdict: 'problem',
        found: `DATA_DIR: there is no folder ${join(other, 'media')}`,
      });
      expect(existsSync(join(other, 'media'))).toBe(false);
      mkdirSync(join(other, 'media'));
      const mark = { library: '019e0000-0000-7000-8000-000000000000', generation: 0, restoring: null };
      writeFileSync(join(other, 'media', '.library'), JSON.stringify(mark));
      expect((await doctor(world, settings)).of.storage).toMatchObject({
        verdict: 'problem',
        found: expect.stringContaining(`belong to library ${mark.library}`),
      });
      writeFileSync(join(other, 'postshelf.db'), 'no database at all');
      const result = await doctor(world, { DATA_DIR: other });
      expect(result.of.database).toMatchObject({
        verdict: 'problem',
        found: expect.stringContaining('not a database'),
        remedy: expect.stringContaining('restore the last backup'),
      });
      expect(result.of.backup?.found).toBe('not checked, as the database cannot be used');
      expect(result.of.storage).toMatchObject({
        verdict: 'warning',
        found: expect.stringContaining('can be written to'),
      });
    } finally {
      removeFolder(other);
    }
  });

  test('reports a library that was moved', async () => {
    await world.database.change(`update fence set moved_to = 'postgres://db/there'`);
    try {
      expect((await doctor(world)).of.database).toMatchObject({
        verdict: 'problem',
        found: expect.stringContaining('was copied to postgres://db/there'),
      });
      const { code, stderr } = await command(['workspace', 'create', '--name', 'X'], world.server.settings);
      expect({ code, stderr }).toEqual({
        code: 1,
        stderr: expect.stringMatching(
          /because it was moved\. It was copied to postgres:\/\/db\/there\. Run "postshelf doctor"/,
        ),
      });
    } finally {
      await world.database.change('update fence set moved_to = null');
    }
  });
});

const nginx = testsThatNeed(['nginx'], 'what postshelf doctor reports of proxies');

nginx.describe('postshelf doctor behind nginx', () => {
  const folder = scratchFolder();
  let child: Bun.Subprocess;
  let silent: TcpServer;
  let ports: readonly number[];

  /** The settings of each virtual server in nginx's configuration. */
  const SITES = [
    '',
    'location = /metrics { return 404; }',
    'location = /metrics { return 404; } client_max_body_size 2200m;',
    'location = /metrics { return 404; } client_max_body_size 2200m; proxy_request_buffering off;',
  ];

  nginx.beforeAll(async () => {
    ports = await Promise.all(SITES.map(() => freePort()));
    const upstream = `location / { proxy_pass ${world.server.url}; }`;
    const sites = SITES.map((site, at) => `server { listen 127.0.0.1:${ports[at]}; ${site} ${upstream} }`);
    const kinds = ['client_body', 'proxy', 'fastcgi', 'uwsgi', 'scgi'].map((kind) => `${kind}_temp_path ${folder}/t;`);
    const user = process.getuid?.() === 0 ? 'user root;' : '';
    const http = ['access_log off;', ...kinds, ...sites].join('\n');
    writeFileSync(join(folder, 'nginx.conf'), `${user} daemon off; pid ${folder}/pid; events {}\nhttp {\n${http}\n}\n`);
    child = Bun.spawn(['nginx', '-e', 'stderr', '-p', folder, '-c', join(folder, 'nginx.conf')], { stderr: 'ignore' });
    const answers = (port: number) =>
      fetch(`http://127.0.0.1:${port}/health`).then(
        ({ ok }) => ok,
        () => false,
      );
    await until('nginx answers', () => answers(ports[0] ?? 0));
    silent = createServer().listen(0, '127.0.0.1');
  });
  nginx.afterAll(async () => {
    silent.close();
    child.kill();
    await child.exited;
    removeFolder(folder);
  });

  const proxyAt = async (port: number) => {
    const { proxy } = (await doctor(world, { PUBLIC_URL: `http://127.0.0.1:${port}` })).of;
    return [proxy?.verdict, proxy?.found];
  };

  nginx.test('reports public metrics, a low body limit, buffered uploads and a timeout', async () => {
    const address = silent.address();
    const all = [...ports, typeof address === 'object' && address ? address.port : 0];
    expect(await Promise.all(all.map(proxyAt))).toEqual([
      ['problem', expect.stringContaining('/metrics is publicly accessible')],
      ['problem', expect.stringContaining('413')],
      ['warning', expect.stringContaining('buffers whole uploads')],
      ['ok', expect.stringContaining('/metrics is not open')],
      ['problem', expect.stringContaining('timed out')],
    ]);
  });
});

const s3 = await realS3('what postshelf doctor reports of a bucket');

describe.skipIf(!s3)('postshelf doctor with a bucket', () => {
  test('checks its CORS rules and its public address, and reports a missing bucket', async () => {
    if (!s3) return;
    const made = await makeBucket(s3);
    const over = await World.openAlone({ ...onSqlite, ...settingsOf(s3, made.bucket) });
    try {
      await over.storeOne(file('beach.jpg', jpeg()));
      const [own, open, none] = await Promise.all([
        doctor(over, { CORS_ORIGINS: 'https://app.example.com' }, true),
        doctor(over, { S3_PUBLIC_URL: `${s3.endpoint}/${made.bucket}` }),
        doctor(over, { S3_BUCKET: `${made.bucket}-gone` }),
      ]);
      expect(wrong(own)).toEqual(['bucket warning', 'backup warning']);
      expect(own.of.bucket).toMatchObject({
        found: expect.stringContaining('cors'),
        remedy: expect.stringContaining('storage setup'),
      });
      expect(own.of.clock?.found).toBe("agrees with the store's");
      expect(open.of.bucket).toMatchObject({ verdict: 'problem', found: expect.stringContaining('403') });
      expect(none.of.storage).toMatchObject({ verdict: 'problem', found: expect.stringContaining('no such bucket') });
      expect([own, open, none].map(({ all }) => all).join()).not.toContain(s3.credentials.secretAccessKey);
    } finally {
      await over.close();
      await made.remove();
    }
  });
});
