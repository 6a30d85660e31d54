import { afterAll, beforeAll, describe, expect, test } from 'bun:test';
import { existsSync, readFileSync, renameSync, statSync } from 'node:fs';
import { networkInterfaces } from 'node:os';
import { join } from 'node:path';
import { jpeg } from '../support/fixtures.ts';
import { file } from '../support/multipart.ts';
import { rawRequest } from '../support/raw.ts';
import { arrayAt, expectErrorShape } from '../support/reply.ts';
import { freePort, type Settings } from '../support/server.ts';
import { onDisk } from '../support/storage.ts';
import { until } from '../support/until.ts';
import { World } from '../support/world.ts';

describe('the server', () => {
  let world: World;
  beforeAll(async () => {
    world = await World.openAlone();
  });
  afterAll(() => world.close());

  const answer = async (method: string, path: string) => {
    const head = `${method} ${path} HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n`;
    const reply = await rawRequest(world.server.port, head);
    if (reply === undefined) throw new Error(`No answer to ${method} ${path}`);
    return reply;
  };

  for (const name of ['health', 'ready', 'metrics']) {
    test(`answers /${name}, but no other spelling of this path`, async () => {
      for (const path of [`/${name}`, `/${name}?x=1`]) expect((await answer('GET', path)).status).toBe(200);
      const spellings = [`/${name}/`, `//${name}`, `/${name}//`, `/${name}/x`, `/${name};x`, `/${name.toUpperCase()}`];
      const encoded = `/%${name.charCodeAt(0).toString(16)}${name.slice(1)}`;
      for (const path of [...spellings, encoded]) {
        for (const method of ['GET', 'POST']) {
          const reply = await answer(method, path);
          expect(`${method} ${path} ${reply.status}`).toBe(`${method} ${path} 404`);
          expectErrorShape(reply);
        }
      }
    });
  }

  test('ignores a trailing slash in a path of the API', async () => {
    const path = world.fill('/v1/workspaces/{workspace}/media_contents/');
    expect((await world.call(`GET ${path}`)).status).toBe(200);
  });
});

/** An address of this machine that isn't loopback. */
const [outer] = Object.values(networkInterfaces())
  .flatMap((addresses) => addresses ?? [])
  .filter(({ internal, family }) => !internal && family === 'IPv4');

describe('information for operators', () => {
  /**
   * The statuses of `/metrics` for requests with these headers, sent to 127.0.0.1 or the given address: first without
   * the token, then with it.
   */
  const statuses = async (
    settings: Settings,
    requests: readonly (readonly [string, Readonly<Record<string, string>>?])[],
  ) => {
    const world = await World.openAlone(settings);
    try {
      const file = join(world.dataDir, 'metrics-token');
      const token = existsSync(file) ? readFileSync(file, 'utf8').trim() : '';
      const statusesWith = async (authorization: Readonly<Record<string, string>>) => {
        const found: number[] = [];
        for (const [host, given = {}] of requests) {
          const headers = { ...given, ...authorization };
          const reply = await fetch(`http://${host}:${world.server.port}/metrics`, { headers });
          await reply.arrayBuffer();
          found.push(reply.status);
        }
        return found;
      };
      return [await statusesWith({}), await statusesWith({ authorization: `Bearer ${token}` })];
    } finally {
      await world.close();
    }
  };

  const FORWARDED = [
    { 'x-forwarded-for': '127.0.0.1' },
    { 'x-forwarded-proto': 'https' },
    { forwarded: 'for=127.0.0.1' },
    { host: 'media.example' },
    { via: '1.1 proxy' },
  ].map((headers) => ['127.0.0.1', headers] as const);

  test.skipIf(outer === undefined)(
    'requires the token from other machines, whatever X-Forwarded-For says',
    async () => {
      const address = outer?.address ?? '';
      const requests = [['127.0.0.1'], [address], [address, { 'x-forwarded-for': '127.0.0.1' }]] as const;
      for (const settings of [{ HOST: '0.0.0.0' }, { HOST: '::' }, { HOST: '0.0.0.0', TRUST_PROXY: 'true' }])
        expect(await statuses(settings, requests)).toEqual([
          [200, 401, 401],
          [200, 200, 200],
        ]);
    },
  );

  test('requires the token if a proxy has forwarded the request', async () => {
    const requests = [['127.0.0.1'] as const, ...FORWARDED];
    for (const TRUST_PROXY of ['true', 'false'])
      expect(await statuses({ TRUST_PROXY }, requests)).toEqual([
        [200, 401, 401, 401, 401, 401],
        [200, 200, 200, 200, 200, 200],
      ]);
  });

  test('requires the token if the service is public, because a plain proxy adds no header', async () => {
    const settings = { PUBLIC_URL: 'https://media.example.com' };
    expect(await statuses(settings, [['127.0.0.1']])).toEqual([[401], [200]]);
    for (const PUBLIC_URL of ['http://localhost:8080', 'http://[::1]:3000', 'http://127.0.0.1'])
      expect(await statuses({ PUBLIC_URL }, [['127.0.0.1']])).toEqual([[200], [200]]);
  });

  test('is protected by a generated token in a private file unless METRICS_TOKEN is set', async () => {
    const world = await World.openAlone();
    const other = await World.openAlone({ METRICS_TOKEN: 'figures-for-prometheus-alone' });
    try {
      const file = join(world.dataDir, 'metrics-token');
      expect(statSync(file).mode & 0o777).toBe(0o600);
      const before = readFileSync(file, 'utf8');
      await world.server.end();
      await world.restart();
      expect(readFileSync(file, 'utf8')).toBe(before);
      expect(existsSync(join(other.dataDir, 'metrics-token'))).toBe(false);
    } finally {
      await world.close();
      await other.close();
    }
  });

  test('includes the jobs and the reasons in /ready, which are hidden from other clients', async () => {
    const world = await World.openAlone(onDisk);
    const ask = (headers: Readonly<Record<string, string>> = {}) => world.call('GET /ready', { token: null, headers });
    const stranger = { via: '1.1 proxy' };
    try {
      const jobs = { import: { waiting: 0, running: 0, failed: 0 } };
      expect((await ask()).json).toMatchObject({ status: 'ready', jobs });
      const ready = await ask(stranger);
      expect({ status: ready.status, json: ready.json }).toEqual({ status: 200, json: { status: 'ready' } });
      renameSync(join(world.dataDir, 'media'), join(world.dataDir, 'elsewhere'));
      await until('the missing folder is noticed', async () => (await ask()).status === 503);
      expect(arrayAt((await ask()).json, 'reasons').join()).toContain(join(world.dataDir, 'media'));
      const hidden = await ask(stranger);
      expect({ status: hidden.status, json: hidden.json }).toEqual({
        status: 503,
        json: { message: 'The service is not ready.' },
      });
    } finally {
      await world.close();
    }
  });
});

describe('HOST=0.0.0.0', () => {
  const warning = 'HOST is 0.0.0.0 and PUBLIC_URL is not set';

  test('causes a warning if PUBLIC_URL is not set, because links then only work on this machine', async () => {
    const world = await World.openAlone({ HOST: '0.0.0.0', PUBLIC_URL: undefined });
    expect(world.server.log()).toContain(warning);
    await world.close();
  });

  test.skipIf(outer === undefined)("makes working links if PUBLIC_URL has the machine's LAN address", async () => {
    const port = await freePort();
    const base = `http://${outer?.address}:${port}`;
    const world = await World.openAlone({ HOST: '0.0.0.0', PORT: String(port), PUBLIC_URL: base, ...onDisk });
    try {
      expect(world.server.log()).not.toContain(warning);
      const { link } = await world.storeOne(file('beach.jpg', jpeg()));
      expect(link).toStartWith(`${base}/files/`);
      expect((await fetch(link)).status).toBe(200);
    } finally {
      await world.close();
    }
  });
});
