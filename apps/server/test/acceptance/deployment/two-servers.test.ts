// Two servers share one database. Once the first server has acknowledged a change, the second server must show the
// change in its answer to the next request, however busy this server is, over new and over kept-alive connections.
import { afterAll, beforeAll, describe, expect, test } from 'bun:test';
import { randomUUID } from 'node:crypto';
import { png } from '../support/fixtures.ts';
import { sized } from '../support/long.ts';
import { arrayAt, at } from '../support/reply.ts';
import type { Server } from '../support/server.ts';
import { mediaItem } from '../support/shapes.ts';
import { World } from '../support/world.ts';

const CHANGES = sized(40, 150);
const REVOCATIONS = 5;
/** Number of concurrent requests that keep the second server busy. */
const LOAD = 12;

describe('two servers with one database', () => {
  let world: World;
  let other: Server;
  let item: string;
  let isOver = false;
  let load: Promise<unknown>;
  let answered = 0;

  const ask = (server: Server, path: string, init: RequestInit = {}, token = 'all'): Promise<Response> =>
    fetch(`${server.url}${path}`, {
      ...init,
      headers: { Authorization: `Bearer ${world.tokens[token]}`, ...init.headers },
    });

  async function keepBusy(): Promise<void> {
    while (!isOver) {
      const response = await ask(other, `/v1/media_contents/${item}`);
      await response.arrayBuffer();
      expect(response.status).toBe(200);
      answered += 1;
    }
  }

  beforeAll(async () => {
    world = await World.openAlone();
    other = await world.startAnother();
    const form = new FormData();
    form.append('files[]', new Blob([Buffer.from(png())]), 'a.png');
    const path = `/v1/workspaces/${world.ids.workspace}/media_contents`;
    const reply = await (await ask(world.server, path, { method: 'POST', body: form })).json();
    item = mediaItem(at(arrayAt(reply, 'data'), 0)).id;
    load = Promise.all(Array.from({ length: LOAD }, keepBusy));
  });

  afterAll(async () => {
    isOver = true;
    await load;
    await other?.end();
    await world?.close();
  });

  test.each([
    ['a kept-alive connection', {}],
    ['a new connection', { keepalive: false, headers: { Connection: 'close' } }],
  ])('show acknowledged changes on the very next request over %s', async (_, init) => {
    const before = answered;
    for (let change = 0; change < CHANGES; change += 1) {
      const label = randomUUID();
      const changed = await ask(world.server, `/v1/media_contents/${item}`, {
        method: 'PATCH',
        body: JSON.stringify({ label }),
        headers: { 'Content-Type': 'application/json' },
      });
      expect(changed.status).toBe(200);
      const shown = await (await ask(other, `/v1/media_contents/${item}`, init)).json();
      expect(shown).toMatchObject({ data: { label } });
    }
    expect(answered - before).toBeGreaterThan(CHANGES);
  });

  test('accept an issued token and reject a revoked one on the very next request', async () => {
    for (let round = 0; round < REVOCATIONS; round += 1) {
      const id = await world.token('brief', '{workspace}');
      for (let use = 0; use < 3; use += 1) {
        expect((await ask(other, `/v1/media_contents/${item}`, {}, 'brief')).status).toBe(200);
      }
      await world.run(['token', 'revoke', id]);
      expect((await ask(other, `/v1/media_contents/${item}`, {}, 'brief')).status).toBe(401);
    }
  });
});
