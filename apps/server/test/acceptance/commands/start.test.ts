import { afterEach, beforeEach, expect, test } from 'bun:test';
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { hasPrograms } from '@postshelf/testing/programs';
import { collect } from '../support/run.ts';
import {
  command,
  jsonCommand,
  jwtSecret,
  removeFolder,
  type Server,
  type Settings,
  scratchFolder,
  spawnServer,
  startServer,
} from '../support/server.ts';
import { until, within } from '../support/until.ts';

let dataDir: string;
beforeEach(() => {
  dataDir = join(scratchFolder(), 'library');
});
afterEach(() => removeFolder(join(dataDir, '..')));

/** The lines of a server's JSON log so far. */
const linesOf = (server: Pick<Server, 'log'>): Record<string, unknown>[] =>
  server
    .log()
    .split('\n')
    .filter((line) => line.startsWith('{'))
    .map((line) => JSON.parse(line));

async function startAndEnd(extra: Settings = {}, args: readonly string[] = ['serve']) {
  const server = await startServer(
    dataDir,
    { JWT_SECRET: undefined, FFMPEG_PATH: undefined, PREVIEWS_AHEAD: undefined, ...extra },
    args,
  );
  expect(await server.end()).toBe(0);
  return server;
}

test('the first log lines name the program, its settings and the library that it has created', async () => {
  const server = await startAndEnd({ CORS_ORIGINS: '*', METRICS_TOKEN: 'hunter2'.repeat(3), DATABASEURL: 'x' });
  const [program, settings, slip, library] = linesOf(server);
  const { version, commit } = await jsonCommand(['version'], {});
  expect(program).toMatchObject({ level: 'info', version, commit });
  expect(program?.msg).toStartWith(`postshelf ${version}`);
  expect(settings?.settings).toEqual({
    PORT: String(server.port),
    DATA_DIR: dataDir,
    CORS_ORIGINS: '*',
    METRICS_TOKEN: '[secret]',
  });
  expect(slip).toMatchObject({ level: 'warn', msg: 'DATABASEURL is not a setting; did you mean DATABASE_URL?' });
  expect(library).toMatchObject({
    level: 'info',
    library: { workspaces: 0 },
    database: { kind: 'sqlite', place: expect.stringContaining(join(dataDir, 'postshelf.db')) },
    storage: { kind: 'files', place: join(dataDir, 'media') },
    made: {
      'data directory': dataDir,
      database: join(dataDir, 'postshelf.db'),
      'token secret': join(dataDir, 'jwt-secret'),
      'media folder': join(dataDir, 'media'),
    },
    migrated: [
      '1000-baseline',
      '1001-jobs',
      '1002-archives',
      '1003-focal-points',
      '1004-punctuation',
      '1005-ignored-signs',
    ],
  });
  expect(server.log()).not.toContain('hunter2');
});

test('a second start logs that nothing was created, and so does a worker', async () => {
  await startAndEnd();
  await jsonCommand(['workspace', 'create', '--name', 'One'], { DATA_DIR: dataDir });
  const again = await startAndEnd();
  const nothing = { library: { workspaces: 1 }, made: {}, migrated: [] };
  expect(linesOf(again).find(({ library }) => library)).toMatchObject(nothing);
  const worker = spawnServer({ DATA_DIR: dataDir }, ['worker']);
  try {
    await until('it works', () => worker.stdout().includes('working on jobs'));
    worker.child.kill();
    expect(await within('the worker ends', worker.exited)).toBe(0);
    const lines = linesOf({ log: worker.stdout });
    expect(lines[0]?.msg).toStartWith('postshelf ');
    expect(lines.find(({ library }) => library)).toMatchObject(nothing);
  } finally {
    worker.child.kill('SIGKILL');
    worker.forget();
  }
});

const canPaste = hasPrograms(['curl'], 'the curl command that the first start prints');
test.skipIf(!canPaste)(
  'the first start prints a curl command with a token, and the second a command that creates a token',
  async () => {
    const first = await startServer(dataDir, { JWT_SECRET: undefined }, ['serve', '--welcome']);
    try {
      await until('the welcome is printed', () => first.log().includes('curl'));
      const log = first.log();
      expect(log).toContain(first.url);
      expect(log).toMatch(/eyJ[\w-]+\.[\w-]+\.[\w-]+/);
      expect(log).toMatch(new RegExp(`^ {2}${first.url}/#code=[\\w-]{43}$`, 'm'));
      expect(log).toMatch(/[0-9a-f]{8}-[0-9a-f]{4}-7[0-9a-f]{3}-[0-9a-f]{4}-[0-9a-f]{12}/);
      const { code, stdout } = await collect(['sh', '-c', pastedCurl(log)], { cwd: dataDir, env: { ...process.env } });
      expect(code).toBe(0);
      expect(JSON.parse(stdout)).toHaveProperty('data');
    } finally {
      expect(await first.end('SIGINT')).toBe(0);
    }
    const second = await startServer(dataDir, { JWT_SECRET: undefined }, ['serve', '--welcome']);
    try {
      await until('the welcome is printed', () => second.log().includes('token create'));
      const log = second.log();
      expect(log).toContain(`Postshelf serves ${second.url}/v1`);
      expect(log).not.toMatch(/eyJ[\w-]+\.[\w-]+/);
      expect(log).toMatch(/^Workspaces: 1$/m);
      expect(log).toMatch(/^Tokens: {5}1 valid/m);
      expect(log).toContain('token sign-in-link');
      const [, folder, args = ''] = /^ {2}DATA_DIR=(\S+) .*?(token create --workspace \S+)$/m.exec(log) ?? [];
      expect(folder).toBe(dataDir);
      const { token } = await jsonCommand(args.split(' '), { DATA_DIR: dataDir, JWT_SECRET: undefined });
      const list = `${second.url}/v1/workspaces/${args.split(' ').at(-1)}/media_contents`;
      expect((await fetch(list, { headers: { authorization: `Bearer ${token}` } })).status).toBe(200);
    } finally {
      await second.end();
    }
    // The server started below has a different secret. It refuses to start until the library's secret has been removed.
    await jsonCommand(['token', 'reset-secret', '--yes'], { DATA_DIR: dataDir, JWT_SECRET: undefined });
    const other = await startServer(dataDir, { JWT_SECRET: jwtSecret, WEB: 'false' }, ['serve', '--welcome']);
    await until('the welcome is printed', () => other.log().includes('token create'));
    await other.end();
    expect(other.log()).toContain('To create another token, run this with the same JWT_SECRET as the server:');
    // This service has no page, so it has no sign-in link to print.
    expect(other.log()).not.toContain('sign-in-link');
  },
);

test('a command with an empty setting fails with one line that names the setting', async () => {
  const { code, stdout, stderr } = await command(['workspace', 'list'], { DATA_DIR: dataDir, S3_BUCKET: '' });
  expect({ code, stdout }).toEqual({ code: 1, stdout: '' });
  expect(stderr).toBe('postshelf: S3_BUCKET: is empty; give it a value or leave it out\n');
});

test.each([
  ['media', 'DATA_DIR: {path} is not a folder; move it away'],
  ['jwt-secret', "{path} is a folder, where the secret's file should be. Check the path."],
])('the start fails with one line that names the path if %s has the wrong file type', async (name, sentence) => {
  const path = join(dataDir, name);
  mkdirSync(name === 'media' ? dataDir : path, { recursive: true });
  if (name === 'media') writeFileSync(path, '');
  const { code, stderr } = await command(['serve'], { DATA_DIR: dataDir, JWT_SECRET: undefined });
  expect(code).toBe(1);
  expect(JSON.parse(stderr)).toEqual({
    level: 'fatal',
    time: expect.any(String),
    msg: sentence.replace('{path}', path),
  });
});

test.each([
  ['FFMPEG_PATH if it is set', { FFMPEG_PATH: '/no/ffmpeg' }, 'FFMPEG_PATH /no/ffmpeg is missing or does not run'],
  ['FFMPEG_PATH if PATH has no ffmpeg', { PATH: '/no/path' }, 'ffmpeg was not found'],
])('a start without ffmpeg logs which setting to correct: %s', async (_, settings, reason) => {
  const server = await startServer(dataDir, { FFMPEG_PATH: undefined, ...settings });
  try {
    await until('the reason is logged', () => linesOf(server).some(({ msg }) => String(msg).startsWith(reason)));
    const line = linesOf(server).find(({ msg }) => String(msg).startsWith(reason));
    expect(line).toMatchObject({
      level: 'warn',
      msg: expect.stringMatching(/cannot be fitted.*FFMPEG_PATH, and restart\.$/),
    });
  } finally {
    expect(await server.end()).toBe(0);
  }
});

/** The curl command in a log, as a user would copy it: its first line, and the lines that follow a backslash. */
function pastedCurl(log: string): string {
  const all = log.split('\n');
  const start = all.findIndex((line) => /^\s*(\$ )?curl /.test(line));
  const taken: string[] = [];
  for (let index = start; index >= 0 && index < all.length; index++) {
    taken.push((all[index] ?? '').replace(/^\s*\$ /, ''));
    if (!(all[index] ?? '').trimEnd().endsWith('\\')) break;
  }
  return taken.join('\n').trim();
}
