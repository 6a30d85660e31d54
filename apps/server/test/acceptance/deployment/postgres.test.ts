import { afterAll, beforeAll, describe, expect, test } from 'bun:test';
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import {
  makeDatabase,
  type RealPostgres,
  realPostgres,
  type TestDatabase,
  withClient,
} from '@postshelf/testing/servers/postgres';
import { expectErrorShape, type Reply, stringAt } from '../support/reply.ts';
import { command, freePort, removeFolder, scratchFolder, spawnServer } from '../support/server.ts';
import { until, within } from '../support/until.ts';
import { World } from '../support/world.ts';

const server = await realPostgres('the service over PostgreSQL');

const folders = 'POST /workspaces/{workspace}/media_library/folders';
const lines = (text: string): string[] => text.split('\n').filter((line) => line !== '');

describe.skipIf(!server)('the service with PostgreSQL', () => {
  const real = server as RealPostgres;
  let database: TestDatabase;
  let world: World;

  beforeAll(async () => {
    database = await makeDatabase(real);
    world = await World.open({
      DATABASE_URL: database.url,
      DATABASE_POOL_SIZE: '2',
      DATABASE_STATEMENT_TIMEOUT_MS: '1000',
      IMPORT_ALLOWED_NETWORKS: '127.0.0.1/32',
    });
  });

  afterAll(async () => {
    await world.close();
    await database.remove();
  });

  const create = (name: string): Promise<Reply> => world.call(folders, { json: { name } });

  function expectUnavailable(reply: Reply): void {
    expect(reply.status).toBe(503);
    expect(reply.headers.get('retry-after')).toBe('5');
    expectErrorShape(reply);
  }

  describe('fails to start with one line that has no password for', () => {
    const rows: readonly (readonly [string, (url: URL) => void, RegExp])[] = [
      ['a wrong password', (url) => Object.assign(url, { password: 'hunter2' }), /password authentication failed/],
      ['a missing database', (url) => Object.assign(url, { pathname: '/nowhere' }), /"nowhere" does not exist/],
      ['a port on which nothing listens', (url) => Object.assign(url, { port: '1' }), /ECONNREFUSED/],
      ['an unknown host', (url) => Object.assign(url, { hostname: 'nowhere.invalid' }), /nowhere\.invalid/],
    ];
    for (const [what, change, reason] of rows) {
      test(what, async () => {
        const url = new URL(database.url);
        change(url);
        const dataDir = scratchFolder();
        const started = spawnServer({ DATA_DIR: dataDir, PORT: String(await freePort()), DATABASE_URL: url.href });
        try {
          expect(await within('the refusal to start', started.exited)).toBe(1);
          expect(lines(started.stderr())).toHaveLength(1);
          expect(JSON.parse(started.stderr()).msg).toMatch(/Cannot open the database postgres:/);
          expect(JSON.parse(started.stderr()).msg).toMatch(reason);
          expect(started.stdout() + started.stderr()).not.toContain(url.password);
        } finally {
          started.child.kill('SIGKILL');
          started.forget();
          removeFolder(dataDir);
        }
      });
    }
  });

  test('refuses a database of a newer program with one line', async () => {
    const other = await makeDatabase(real);
    const folder = scratchFolder();
    const settings = { DATA_DIR: folder, DATABASE_URL: other.url };
    expect((await command(['migrate'], settings)).code).toBe(0);
    await withClient(other.url, (client) =>
      client.query("insert into kysely_migration values ('9999-future', '2999-01-01')"),
    );
    const { code, stderr } = await command(['migrate'], settings);
    expect(code).toBe(1);
    expect(lines(stderr)).toHaveLength(1);
    expect(stderr).toContain('9999-future');
    expect((await command(['workspace', 'list'], settings)).stderr).toContain('9999-future');
    removeFolder(folder);
    await other.remove();
  });

  test.skipIf(!server?.server)(
    'returns 503 while the database restarts, and keeps everything that it has acknowledged',
    async () => {
      const made: string[] = [];
      let refused = 0;
      let isOver = false;
      const client = async (number: number): Promise<void> => {
        for (let round = 0; !isOver; round += 1) {
          const reply = await create(`Restart ${number}.${round}`);
          if (reply.status === 201) made.push(stringAt(reply.json, 'data', 'id'));
          else {
            expectUnavailable(reply);
            refused += 1;
          }
        }
      };
      const clients = Array.from({ length: 6 }, (_, number) => client(number));
      await until('folders are made', () => made.length > 20);
      await real.server?.restart();
      const before = made.length;
      await until('folders are made again', () => made.length > before + 20);
      isOver = true;
      await Promise.all(clients);
      expect(refused).toBeGreaterThan(0);
      for (const id of made) expect((await world.call(`GET /media_library/folders/${id}`)).status).toBe(200);
      expect((await fetch(`${world.server.url}/ready`)).status).toBe(200);
    },
  );

  test.each([
    ['in a URL', { url: 'http://127.0.0.1:1/a\0b.mp4' }, 202],
    ['in a label', { url: 'http://127.0.0.1:1/a.mp4', label: 'a\0b' }, 422],
    ['in a name', { url: 'http://127.0.0.1:1/a.mp4', name: 'beach\0ball' }, 202],
  ] as const)('answers a NUL character %s without a server error', async (_where, json, status) => {
    expect((await world.call('POST /workspaces/{workspace}/media_contents', { json })).status).toBe(status);
  });

  test('rejects a token on the very next request after another process has revoked it', async () => {
    const other = await world.startAnother();
    const own = world.server;
    try {
      const id = await world.token('short', '{workspace}');
      const expectAll = async (status: number): Promise<void> => {
        for (const each of [own, other]) {
          world.server = each;
          const list = 'GET /workspaces/{workspace}/media_library/folders';
          expect((await world.call(list, { token: 'short' })).status).toBe(status);
        }
        world.server = own;
      };
      await expectAll(200);
      await world.run(['token', 'revoke', id]);
      await expectAll(401);
    } finally {
      world.server = own;
      await other.end();
    }
  });

  test("names PostgreSQL's tools in the errors of the commands backup and restore", async () => {
    const folder = scratchFolder();
    const file = join(folder, 'backup.tar');
    const { settings } = world.server;
    for (const [name, tool] of [
      ['backup', 'pg_dump'],
      ['restore', 'pg_restore'],
    ] as const) {
      const { code, stderr } = await command([name, file], settings);
      expect({ code, lines: lines(stderr).length }).toEqual({ code: 1, lines: 1 });
      expect(stderr).toMatch(new RegExp(`^postshelf: DATABASE_URL: .*${tool}`));
      expect(existsSync(file)).toBe(false);
    }
    removeFolder(folder);
  });

  test('passes the command verify without a problem', async () => {
    const { code, stdout } = await command(['verify', '--json'], world.server.settings);
    expect(code).toBe(0);
    expect(JSON.parse(stdout)).toMatchObject({ problems: [] });
  });

  test('never logs the password', () => {
    expect(world.server.log()).not.toContain(new URL(database.url).password);
  });
});
