import { afterAll, beforeAll, describe, expect, test } from 'bun:test';
import {
  makeDatabase,
  type RealPostgres,
  realPostgres,
  runSql,
  type TestDatabase,
  withClient,
} from '@postshelf/testing/servers/postgres';
import { command } from '../support/server.ts';
import { until } from '../support/until.ts';
import { World } from '../support/world.ts';
import { figures } from './support/figures.ts';

const server = await realPostgres('metrics of connections');

describe.skipIf(!server)('connections to PostgreSQL', () => {
  let database: TestDatabase;
  let world: World;

  beforeAll(async () => {
    database = await makeDatabase(server as RealPostgres);
    world = await World.open({ DATABASE_URL: database.url, DATABASE_POOL_SIZE: '2' });
  });

  afterAll(async () => {
    await world.close();
    await database.remove();
  });

  const pool = async () => {
    const found = await figures(world);
    const [max, open, idle] = ['max', 'open', 'idle'].map((name) =>
      found.get(`postshelf_database_connections_${name}`),
    );
    return { max, open, idle, waiting: found.get('postshelf_database_queries_waiting') };
  };

  test('have metrics, including the queries that wait for a connection', async () => {
    const list = 'GET /workspaces/{workspace}/media_library/folders';
    // A list of folders needs a connection as soon as there is a folder.
    await world.folder('Summer');
    expect((await world.call(list)).status).toBe(200);
    let calm = await pool();
    await until('no work in the background waits', async () => {
      calm = await pool();
      return calm.waiting === 0;
    });
    expect(calm.max).toBe(2);
    expect(calm.open).toBeWithin(1, 3);
    expect(calm.idle).toBeWithin(0, 3);
    await withClient(database.url, async (client) => {
      await client.query('begin');
      await client.query('lock table folders in access exclusive mode');
      const held = Array.from({ length: 5 }, () => world.call(list));
      await until('two connections are in use, and a request waits', async () => {
        const { open, idle, waiting = 0 } = await pool();
        return open === 2 && idle === 0 && waiting > 0;
      });
      await client.query('rollback');
      await Promise.all(held);
    });
    await until('no request waits any more', async () => (await pool()).waiting === 0);
    expect((await world.call(list)).status).toBe(200);
  });

  test('are what doctor advises about if the server allows no more of them', async () => {
    const role = `postshelf_role_${crypto.randomUUID()}`;
    await runSql(database.url, `create role "${role}" login connection limit 0 password 'secret'`);
    try {
      const own = Object.assign(new URL(database.url), { username: role, password: 'secret' });
      const { stdout } = await command(['doctor', '--json'], { ...world.server.settings, DATABASE_URL: own.href });
      const { checks } = JSON.parse(stdout);
      expect(checks.find((check: { readonly name: string }) => check.name === 'database')).toMatchObject({
        found: expect.stringContaining('too many connections'),
        remedy: expect.stringMatching(/^Lower DATABASE_POOL_SIZE, .*max_connections/),
      });
    } finally {
      await runSql(database.url, `drop role "${role}"`);
    }
  });
});
