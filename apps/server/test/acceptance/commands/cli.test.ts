import { afterAll, beforeAll, describe, expect, test } from 'bun:test';
import { existsSync, statSync, symlinkSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:net';
import { join } from 'node:path';
import { filesBelow, permissions } from '../support/disk.ts';
import { claimsOf } from '../support/jwt.ts';
import { keysOf } from '../support/reply.ts';
import { linesOf } from '../support/run.ts';
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

describe('the JSON output', () => {
  test('of workspace create is one object with the id', async () => {
    const options = ['--name', 'Zürich', '--timezone', 'Europe/Zurich', '--system-folder', 'A', '--system-folder', 'B'];
    const { code, stdout, stderr } = await command(['workspace', 'create', ...options, '--json'], settings);
    expect({ code, stderr }).toEqual({ code: 0, stderr: '' });
    expect(JSON.parse(stdout)).toMatchObject({ id: expect.stringMatching(uuid) });
  });

  test('of token create is one object with a token that is valid for 90 days by default', async () => {
    const before = Date.now();
    const issued = await jsonCommand(['token', 'create', '--workspace', workspace], settings);
    expect(keysOf(issued)).toEqual(['expires_at', 'id', 'token']);
    expect(String(issued.expires_at)).toMatch(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d+)?Z$/);
    const days = (Date.parse(String(issued.expires_at)) - before) / 86_400_000;
    expect(days).toBeCloseTo(90, 2);
    expect(claimsOf(String(issued.token)).jti).toBe(String(issued.id));
  });

  test('of token create has an expiry set by --expires-in', async () => {
    const issued = await jsonCommand(['token', 'create', '--workspace', workspace, '--expires-in', '7d'], settings);
    expect((Date.parse(String(issued.expires_at)) - Date.now()) / 86_400_000).toBeCloseTo(7, 2);
  });
});

describe('the command', () => {
  test('token list shows the id and name of a token, and never the token itself', async () => {
    const args = ['token', 'create', '--workspace', workspace, '--name', 'For the blog', '--scope', 'media:read'];
    const issued = await jsonCommand(args, settings);
    const list = await command(['token', 'list'], settings);
    expect(list.code).toBe(0);
    for (const part of [String(issued.id), 'For the blog']) expect(list.stdout).toContain(part);
    expect(list.stdout).not.toContain(String(issued.token).split('.')[2] ?? '');
    expect((await command(['token', 'revoke', String(issued.id)], settings)).code).toBe(0);
    expect((await command(['workspace', 'list'], settings)).stdout).toContain(workspace);
  });

  test('migrate or gc succeeds when it is run again', async () => {
    for (const name of ['migrate', 'gc', 'gc']) {
      expect(await command([name], settings)).toMatchObject({ code: 0, stderr: '' });
    }
  });

  test('gc keeps staged files for a day, or for the duration of --older-than', async () => {
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

describe('the start fails with one line that names the setting', () => {
  // test/unit/config.test.ts tests which values of each setting are invalid.
  test.each([
    ['PORT', '70000'],
    ['PUBLIC_URL', 'not a url'],
    ['DATABASE_URL', 'mysql://localhost/x'],
  ])('if %s is %s', async (setting, value) => {
    const started = spawnServer({ DATA_DIR: dataDir, PORT: String(await freePort()), [setting]: value });
    try {
      expect(await within('the refusal to start', started.exited)).toBeGreaterThan(0);
      expect(linesOf(started.stderr())).toHaveLength(1);
      expect(started.stderr()).toContain(setting);
      expect(started.stdout()).toBe('');
    } finally {
      started.child.kill('SIGKILL');
      started.forget();
    }
  });

  test('if DATA_DIR is a file', async () => {
    const path = join(dataDir, 'a-file');
    writeFileSync(path, 'x');
    const result = await command(['workspace', 'list'], { DATA_DIR: path });
    expect(result.code).toBeGreaterThan(0);
    expect(linesOf(result.stderr)).toHaveLength(1);
    expect(result.stderr).toContain('DATA_DIR');
  });

  test('if DATA_DIR is a link to a folder that does not exist', async () => {
    const path = join(dataDir, 'a-link');
    symlinkSync('/nowhere/postshelf', path);
    const { code, stderr } = await command(['migrate'], { DATA_DIR: path });
    expect(code).toBe(1);
    expect(stderr).toBe(
      `postshelf: DATA_DIR: ${path} is a link to /nowhere/postshelf, which does not exist; check that its disk is mounted\n`,
    );
  });

  test('if PORT is in use by another process, before a library is created', async () => {
    const other = createServer();
    await new Promise<void>((done) => other.listen(0, '127.0.0.1', done));
    const address = other.address();
    const port = typeof address === 'object' && address !== null ? address.port : 0;
    // The folder doesn't exist yet. A library there could be that of the process that has the port.
    const unused = join(dataDir, 'unused');
    const started = spawnServer({ DATA_DIR: unused, PORT: String(port), HOST: '127.0.0.1', JWT_SECRET: jwtSecret });
    try {
      expect(await within('the refusal to start', started.exited)).toBeGreaterThan(0);
      expect(started.stderr() + started.stdout()).toContain(String(port));
      expect(existsSync(unused)).toBe(false);
    } finally {
      started.child.kill('SIGKILL');
      other.close();
      started.forget();
    }
  });
});

describe('without JWT_SECRET', () => {
  test('a secret is generated once, and only the owner of its file can read it', async () => {
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
      expect(filesBelow(own)).toEqual([...files, 'metrics-token'].sort());
      expect(permissions(join(own, 'metrics-token'))).toBe(0o600);
    } finally {
      await server?.end('SIGKILL');
      removeFolder(own);
    }
  });
});

test('the command licenses prints the licenses of the packages, of Bun and of their bundled libraries', async () => {
  const { code, stdout } = await command(['licenses'], {});
  expect(code).toBe(0);
  for (const part of [
    'elysia 1',
    'pino 10',
    'libaom',
    'JavaScriptCore',
    'Permission is hereby granted',
    'Mozilla Public License',
  ]) {
    expect(stdout).toContain(part);
  }
  expect(stdout).toContain('GNU LESSER GENERAL PUBLIC LICENSE');
});
