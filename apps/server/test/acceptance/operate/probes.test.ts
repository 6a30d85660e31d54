import { afterAll, beforeAll, describe, expect, test } from 'bun:test';
import { networkInterfaces } from 'node:os';
import { rawRequest } from '../support/raw.ts';
import { expectErrorShape } from '../support/reply.ts';
import type { Settings } from '../support/server.ts';
import { World } from '../support/world.ts';

describe('/health, /ready and /metrics are at exactly these addresses', () => {
  let world: World;
  beforeAll(async () => {
    world = await World.openAlone();
  });
  afterAll(() => world.close());

  const answer = async (method: string, path: string) => {
    const head = `${method} ${path} HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n`;
    const reply = await rawRequest(world.server.port, head);
    if (reply === undefined) throw new Error(`No answer to ${method} ${path}`);
    return reply;
  };

  for (const name of ['health', 'ready', 'metrics']) {
    test(`/${name}`, async () => {
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

  test('a slash at the end of an address of the API is ignored', async () => {
    const path = world.fill('/v1/workspaces/{workspace}/media_contents/');
    expect((await world.call(`GET ${path}`)).status).toBe(200);
  });
});

/** An address of this machine that isn't loopback. */
const [outer] = Object.values(networkInterfaces())
  .flatMap((addresses) => addresses ?? [])
  .filter(({ internal, family }) => !internal && family === 'IPv4');

describe('without METRICS_TOKEN, /metrics is for this machine only', () => {
  const status = async (settings: Settings, requests: readonly (readonly [string, string?])[]) => {
    const world = await World.openAlone(settings);
    try {
      const found: number[] = [];
      for (const [host, forwarded] of requests) {
        const headers: Record<string, string> = forwarded === undefined ? {} : { 'x-forwarded-for': forwarded };
        const reply = await fetch(`http://${host}:${world.server.port}/metrics`, { headers });
        await reply.arrayBuffer();
        found.push(reply.status);
      }
      return found;
    } finally {
      await world.close();
    }
  };

  test.skipIf(outer === undefined)('it is 404 for other machines, whatever X-Forwarded-For says', async () => {
    const address = outer?.address ?? '';
    const requests = [['127.0.0.1'], [address], [address, '127.0.0.1']] as const;
    expect(await status({ HOST: '0.0.0.0' }, requests)).toEqual([200, 404, 404]);
    expect(await status({ HOST: '::' }, requests)).toEqual([200, 404, 404]);
    expect(await status({ HOST: '0.0.0.0', TRUST_PROXY: 'true' }, requests)).toEqual([200, 404, 404]);
  });

  test("behind a trusted proxy, the client's address decides, not the proxy's", async () => {
    const requests = [['127.0.0.1'], ['127.0.0.1', '203.0.113.9'], ['127.0.0.1', '::1']] as const;
    expect(await status({ TRUST_PROXY: 'true' }, requests)).toEqual([200, 404, 200]);
    expect(await status({}, requests)).toEqual([200, 200, 200]);
  });
});
