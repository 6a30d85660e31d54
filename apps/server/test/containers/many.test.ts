// These tests run docs/deploy/compose.yaml with the profile "many" in containers. `npm run test:containers` starts
// them.
import { afterAll, beforeAll, describe, expect, test } from 'bun:test';
import { until } from '@postshelf/harness';
import { readIssued } from '../acceptance/presign/support/uploads.ts';
import { jpeg, mp4 } from '../acceptance/support/fixtures.ts';
import { at, stringAt } from '../acceptance/support/reply.ts';
import { oneMediaItem } from '../acceptance/support/shapes.ts';
import { docker, IMAGES, inContainers, inspect, Stack } from './support/stack.ts';

describe.skipIf(!inContainers)('two servers and a worker in containers', () => {
  let stack: Stack;
  let workspace: string;
  let link: string;

  const json = { 'content-type': 'application/json' };

  /** Sends a file straight to the bucket, through Caddy. @returns the item's id */
  async function upload(name: string, mime: string, bytes: Uint8Array): Promise<string> {
    const files = [{ name, size: bytes.length, mime }];
    const presign = { method: 'POST', headers: json, body: JSON.stringify({ files }) };
    const answer = await stack.call(`workspaces/${workspace}/media_contents/presign`, presign);
    const { id, url, headers } = readIssued(at(answer.json, 'data', 0));
    expect(url).toStartWith(`${stack.origin}/postshelf-media/`);
    expect(await stack.call(url, { method: 'PUT', headers, body: Buffer.from(bytes) })).toMatchObject({ status: 200 });
    expect(await stack.call(`media_contents/${id}/confirm`, { method: 'POST', headers: json })).toMatchObject({
      status: 200,
    });
    return id;
  }

  const item = async (id: string) => oneMediaItem(await stack.call(`media_contents/${id}`));
  const hasCover = (id: string) =>
    until('the worker makes a cover', async () => (await item(id)).thumbnail !== null, 120_000);
  const isHealthy = async (service: string): Promise<boolean> =>
    stringAt(await inspect(await stack.containerOf(service)), 'State', 'Health', 'Status') === 'healthy';

  beforeAll(async () => {
    stack = await Stack.start('many', IMAGES.built);
    workspace = await stack.makeWorkspace('server-1');
  });
  afterAll(() => stack?.remove());

  test('store an image in the bucket through Caddy, and serve it from there', async () => {
    ({ link } = await item(await upload('picture.jpg', 'image/jpeg', jpeg())));
    expect((await stack.call(link)).bytes).toEqual(jpeg());
    expect(await stack.call(`${stack.origin}/postshelf-media/`)).toMatchObject({ status: 403 });
  });

  test('make the cover of a video, even after the worker was killed', async () => {
    await hasCover(await upload('film.mp4', 'video/mp4', mp4()));
    await stack.shell('worker', 'kill -9 -1');
    await hasCover(await upload('another.mp4', 'video/mp4', mp4()));
    await until('the worker is healthy', () => isHealthy('worker'), 120_000);
  });

  test('serve files while one server is down', async () => {
    await stack.compose('kill', 'server-1');
    for (let time = 0; time < 4; time += 1) expect((await stack.call(link)).bytes).toEqual(jpeg());
    await stack.up();
    expect(await isHealthy('server-1')).toBe(true);
  });

  test('survive a restart of PostgreSQL', async () => {
    await stack.compose('restart', 'database');
    await until('it answers again', async () => (await stack.call(link)).status === 200, 120_000);
    for (const service of ['server-1', 'server-2', 'worker']) {
      const container = await inspect(await stack.containerOf(service));
      expect({ service, running: at(container, 'State', 'Running') }).toEqual({ service, running: true });
    }
  });

  test('publish no ports of the database and the storage', async () => {
    const ports = async (service: string) =>
      at(await inspect(await stack.containerOf(service)), 'NetworkSettings', 'Ports');
    for (const service of ['database', 'storage'])
      expect(Object.values(Object(await ports(service))).flat()).toEqual([]);
    const networks = Object.keys(
      Object(at(await inspect(await stack.containerOf('database')), 'NetworkSettings', 'Networks')),
    );
    expect(await docker(['network', 'inspect', ...networks, '--format', '{{.Internal}}'])).toBe('true\n');
  });
});
