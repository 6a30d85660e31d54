import { afterAll, beforeAll, describe, expect, setDefaultTimeout, test } from 'bun:test';
import { existsSync, statSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:net';
import { join } from 'node:path';
import { filesBelow, permissions } from '../support/disk.ts';
import { claimsOf } from '../support/jwt.ts';
import { keysOf } from '../support/reply.ts';
import {
  command,
  freePort,
  jsonCommand,
  jwtSecret,
  removeFolder,
  type Server,
  type Settings,
  scratchFolder,
  spawnServer,
  startServer,
} from '../support/server.ts';
import { uuid } from '../support/shapes.ts';
import { until, within } from '../support/until.ts';

setDefaultTimeout(60_000);

let dataDir: string;
let settings: Settings;
let workspace: string;

beforeAll(async () => {
  dataDir = scratchFolder();
  settings = { DATA_DIR: dataDir };
  await jsonCommand(['migrate'], settings);
  workspace = String((await jsonCommand(['workspace', 'create', '--name', 'Commands'], settings)).id);
});

afterAll(() => removeFolder(dataDir));

const lines = (text: string) => text.split('\n').filter((line) => line.trim() !== '');

describe('"--json prints one JSON object ({id,…}, {token,id,expires_at}) on stdout and nothing else"', () => {
  test('workspace create', async () => {
    const { code, stdout, stderr } = await command(['workspace', 'create', '--name', 'One', '--json'], settings);
    expect({ code, stderr }).toEqual({ code: 0, stderr: '' });
    expect(JSON.parse(stdout)).toMatchObject({ id: expect.stringMatching(uuid) });
    expect(lines(stdout).length).toBeGreaterThan(0);
  });

  test('workspace create with a time zone and system folders', async () => {
    const args = [
      '--name',
      'Zürich',
      '--timezone',
      'Europe/Zurich',
      '--system-folder',
      'Inbox',
      '--system-folder',
      'Brand',
    ];
    expect(await jsonCommand(['workspace', 'create', ...args], settings)).toMatchObject({
      id: expect.stringMatching(uuid),
    });
  });

  test('token create: "Default life 90 days"', async () => {
    const before = Date.now();
    const issued = await jsonCommand(['token', 'create', '--workspace', workspace], settings);
    expect(keysOf(issued)).toEqual(['expires_at', 'id', 'token']);
    expect(String(issued.expires_at)).toMatch(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d+)?Z$/);
    const days = (Date.parse(String(issued.expires_at)) - before) / 86_400_000;
    expect(days).toBeCloseTo(90, 2);
    expect(claimsOf(String(issued.token)).jti).toBe(String(issued.id));
  });

  test('--expires-in sets the life', async () => {
    const issued = await jsonCommand(['token', 'create', '--workspace', workspace, '--expires-in', '7d'], settings);
    expect((Date.parse(String(issued.expires_at)) - Date.now()) / 86_400_000).toBeCloseTo(7, 2);
  });
});

describe('"token list", "workspace list": "The token itself is never stored", "shown once"', () => {
  test('the list names the token by id, scopes or state, and never shows it', async () => {
    const args = ['token', 'create', '--workspace', workspace, '--name', 'For the blog', '--scope', 'media:read'];
    const issued = await jsonCommand(args, settings);
    const list = await command(['token', 'list'], settings);
    expect(list.code).toBe(0);
    for (const part of [String(issued.id), 'For the blog']) expect(list.stdout).toContain(part);
    expect(list.stdout).not.toContain(String(issued.token).split('.')[2] ?? '');
    expect((await command(['token', 'revoke', String(issued.id)], settings)).code).toBe(0);
    expect((await command(['workspace', 'list'], settings)).stdout).toContain(workspace);
  });

  test('migrate and gc do their work twice over', async () => {
    for (const name of ['migrate', 'migrate', 'gc', 'gc']) {
      expect(await command([name], settings)).toMatchObject({ code: 0, stderr: '' });
    }
  });

  test('gc keeps what may be anybody’s for a day, or for as long as it is told', async () => {
    const stray = join(dataDir, 'media/.staging/stray');
    writeFileSync(stray, 'left behind');
    expect(await jsonCommand(['gc'], settings)).toMatchObject({ staged: 0 });
    expect(await jsonCommand(['gc', '--older-than', '1h'], settings)).toMatchObject({ staged: 0 });
    expect(existsSync(stray)).toBe(true);
    await until('it is older than nothing', () => Date.now() > statSync(stray).mtimeMs);
    expect(await jsonCommand(['gc', '--older-than', '0s'], settings)).toMatchObject({ staged: 1 });
    expect(existsSync(stray)).toBe(false);
  });
});

describe('What is wrong ends with a code other than 0, a clear line on stderr and nothing on stdout', () => {
  const unknown = '01890000-0000-7000-8000-000000000000';
  const rows: readonly [string, string[], RegExp][] = [
    ['an unknown command', ['fly'], /fly/],
    ['an unknown option', ['serve', '--sideways'], /sideways/],
    ['an age that is none', ['gc', '--older-than', 'soon'], /--older-than soon/],
    ['no name for a workspace', ['workspace', 'create'], /name/],
    ['an empty name', ['workspace', 'create', '--name', ' '], /name/i],
    [
      'a time zone that is none',
      ['workspace', 'create', '--name', 'X', '--timezone', 'Mars/Olympus'],
      /time ?zone|Mars/i,
    ],
    [
      'two system folders of one name',
      ['workspace', 'create', '--name', 'X', '--system-folder', 'A', '--system-folder', 'a'],
      /folder|name/i,
    ],
    ['no workspace for a token', ['token', 'create'], /workspace/],
    ['an unknown workspace', ['token', 'create', '--workspace', unknown], /workspace/i],
    ['a workspace that is no id', ['token', 'create', '--workspace', 'x'], /workspace/i],
    ['an unknown scope', ['token', 'create', '--workspace', 'WORKSPACE', '--scope', 'media:fly'], /scope|media:fly/],
    ['"at most 365"', ['token', 'create', '--workspace', 'WORKSPACE', '--expires-in', '366d'], /365|expires/],
    ['a life of nothing', ['token', 'create', '--workspace', 'WORKSPACE', '--expires-in', '0d'], /expires/],
    ['a life that is no time', ['token', 'create', '--workspace', 'WORKSPACE', '--expires-in', 'soon'], /expires/],
    ['revoking an unknown token', ['token', 'revoke', unknown], /token|found/i],
    ['revoking what is no id', ['token', 'revoke', 'x'], /token|found/i],
  ];
  for (const [name, args, complaint] of rows) {
    test(name, async () => {
      const result = await command(
        args.map((arg) => (arg === 'WORKSPACE' ? workspace : arg)),
        settings,
      );
      expect(result.code).toBeGreaterThan(0);
      expect(result.stdout).toBe('');
      expect(result.stderr).toMatch(complaint);
      expect(result.stderr).not.toMatch(/\n\s+at .+:\d+/);
    });
  }
});

describe('"A bad value stops the start with one clear line naming it"', () => {
  const rows: readonly [string, string, string][] = [
    ['PORT', 'abc', 'a word'],
    ['PORT', '70000', 'too high'],
    ['PORT', '-1', 'negative'],
    ['PORT', '1.5', 'a fraction'],
    ['PUBLIC_URL', 'not a url', 'no URL'],
    ['PUBLIC_URL', 'ftp://example.com', 'another scheme'],
    ['LOG_LEVEL', 'loud', 'no level'],
    ['LOG_FORMAT', 'xml', 'no format'],
    ['DATABASE_URL', 'mysql://localhost/x', 'another database'],
    ['UPLOAD_IDLE_TIMEOUT_MS', '-5', 'negative'],
    ['UPLOAD_IDLE_TIMEOUT_MS', 'soon', 'a word'],
    ['UPLOAD_MIN_BYTES_PER_SECOND', 'x', 'a word'],
  ];
  for (const [setting, value, what] of rows) {
    test(`${setting}=${value} (${what})`, async () => {
      const port = await freePort();
      const started = spawnServer({ DATA_DIR: dataDir, PORT: String(port), HOST: '127.0.0.1', [setting]: value });
      try {
        expect(await within('the refusal to start', started.exited)).toBeGreaterThan(0);
        expect(lines(started.stderr())).toHaveLength(1);
        expect(started.stderr()).toContain(setting);
        expect(started.stdout()).toBe('');
      } finally {
        started.child.kill('SIGKILL');
        started.forget();
      }
    });
  }

  test('DATA_DIR is a file', async () => {
    const path = join(dataDir, 'a-file');
    writeFileSync(path, 'x');
    const result = await command(['workspace', 'list'], { DATA_DIR: path });
    expect(result.code).toBeGreaterThan(0);
    expect(lines(result.stderr)).toHaveLength(1);
    expect(result.stderr).toContain('DATA_DIR');
  });

  test('PORT is taken by another process', async () => {
    const other = createServer();
    await new Promise<void>((done) => other.listen(0, '127.0.0.1', done));
    const address = other.address();
    const port = typeof address === 'object' && address !== null ? address.port : 0;
    const started = spawnServer({ DATA_DIR: dataDir, PORT: String(port), HOST: '127.0.0.1', JWT_SECRET: jwtSecret });
    try {
      expect(await within('the refusal to start', started.exited)).toBeGreaterThan(0);
      expect(started.stderr() + started.stdout()).toContain(String(port));
    } finally {
      started.child.kill('SIGKILL');
      other.close();
      started.forget();
    }
  });
});

describe('"JWT_SECRET (else made once, 0600, in DATA_DIR)"', () => {
  test('one secret, which nobody else may read, and it stays the same', async () => {
    const own = scratchFolder();
    let server: Server | undefined;
    try {
      const without = { DATA_DIR: own, JWT_SECRET: undefined };
      await jsonCommand(['migrate'], without);
      const created = await jsonCommand(['workspace', 'create', '--name', 'X'], without);
      const issued = await jsonCommand(['token', 'create', '--workspace', String(created.id)], without);
      const files = filesBelow(own);
      expect(files.length).toBeGreaterThan(0);
      for (const name of files) expect(`${name} ${permissions(join(own, name)).toString(8)}`).toBe(`${name} 600`);
      server = await startServer(own, { JWT_SECRET: undefined });
      const headers = { authorization: `Bearer ${issued.token}` };
      const reply = await fetch(`${server.url}/v1/workspaces/${created.id}/media_library/folders`, { headers });
      expect(reply.status).toBe(200);
      await server.end();
      expect(filesBelow(own)).toEqual(files);
    } finally {
      await server?.end('SIGKILL');
      removeFolder(own);
    }
  });
});

describe('"npm start on an empty DATA_DIR prints where it listens, a workspace, a token (once) and a curl line that works when pasted"', () => {
  test('and the next start prints no token', async () => {
    const own = scratchFolder();
    const welcome = () => startServer(own, { JWT_SECRET: undefined }, ['serve', '--welcome']);
    const server = await welcome();
    try {
      await until('the welcome is printed', () => /curl/.test(server.log()));
      const log = server.log();
      expect(log).toContain(server.url);
      expect(log).toMatch(/eyJ[\w-]+\.[\w-]+\.[\w-]+/);
      expect(log).toMatch(/[0-9a-f]{8}-[0-9a-f]{4}-7[0-9a-f]{3}-[0-9a-f]{4}-[0-9a-f]{12}/);
      expect(await server.end('SIGINT')).toBe(0);
      const again = await welcome();
      expect(await again.end('SIGINT')).toBe(0);
      expect(again.log()).not.toMatch(/eyJ[\w-]+\.[\w-]+/);
    } finally {
      await server.end('SIGKILL');
      removeFolder(own);
    }
  });

  test('the curl line is answered with data', async () => {
    const own = scratchFolder();
    const server = await startServer(own, { JWT_SECRET: undefined }, ['serve', '--welcome']);
    try {
      await until('the welcome is printed', () => /curl/.test(server.log()));
      const run = Bun.spawnSync(['sh', '-c', pastedCurl(server.log())], { cwd: own, stdout: 'pipe', stderr: 'pipe' });
      expect(`${run.exitCode} ${run.stderr.toString()}`).toStartWith('0 ');
      const answer: unknown = JSON.parse(run.stdout.toString());
      expect(keysOf(answer)).toContain('data');
    } finally {
      await server.end('SIGKILL');
      removeFolder(own);
    }
  });
});

/** The curl command of a log as one would mark and paste it: its line, and those that a backslash joins to it. */
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
