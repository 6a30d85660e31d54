import { afterAll, beforeAll, expect, test } from 'bun:test';
import { connect, type Socket } from 'node:net';
import { importBody, imported, line, openImport } from '../posts/support/imports.ts';
import { makeProfile } from '../posts/support/posts.ts';
import { sized } from '../support/long.ts';
import { until } from '../support/until.ts';
import { World } from '../support/world.ts';

/**
 * Maximum milliseconds until the client gets a response again. Before that, its idle connections have to be closed,
 * which happens after 60 seconds. Bun measures this time in steps of four seconds.
 */
const TIMEOUT = 150_000;

const PAGES = 5;

let world: World;
const open: Socket[] = [];

beforeAll(async () => {
  world = await World.openAlone();
  world.ids.profile = await makeProfile(world);
  const text = '"'.repeat(60_000);
  const lines = Array.from({ length: 80 }, (_, nth) => line(world, { external_id: String(nth), text }));
  imported(await importBody(world, lines.join('\n')));
});
afterAll(async () => {
  for (const socket of open) socket.destroy();
  await world.close();
});

/**
 * A request whose answer has many megabytes. A smaller answer would fit into the buffers of a connection, even if the
 * client reads nothing.
 */
const batch = (): string => {
  const input = world.fill({ workspace: '{workspace}', per_page: 100 });
  const inputs = JSON.stringify({ ...Array(PAGES).fill(input) });
  return `/trpc/${Array(PAGES).fill('posts.list').join(',')}?batch=1&input=${encodeURIComponent(inputs)}`;
};

/** Requests the batch and never reads the response. */
async function askAndNeverRead(): Promise<void> {
  const socket = connect({ port: world.server.port, host: '127.0.0.1' });
  open.push(socket);
  socket.pause();
  socket.on('error', () => undefined);
  const head = [`GET ${batch()} HTTP/1.1`, 'Host: x', `Authorization: Bearer ${world.tokens.all}`];
  await new Promise<void>((sent) => socket.write(`${head.join('\r\n')}\r\n\r\n`, () => sent()));
}

const ask = (token = 'all') => world.call(`GET ${batch()}`, { token });

test('a client that leaves large responses unread is refused more of them until its connections close', async () => {
  // The number of responses that this takes varies, because the operating system buffers several megabytes of each
  // response. The service doesn't count buffered bytes as unread.
  const oneMoreIsRefused = async () => {
    await askAndNeverRead();
    return (await ask()).status !== 200;
  };
  await until('the client is refused another response', oneMoreIsRefused, 60_000);
  // Small responses are still sent.
  expect((await world.call('GET /workspaces/{workspace}/media_contents')).status).toBe(200);
  expect((await world.call('GET /health', { token: null })).status).toBe(200);
  // By default the client closes the connections. In long test runs it waits until the service closes them.
  if (sized(true, false)) for (const socket of open.splice(0)) socket.destroy();
  await until('the client gets a response again', async () => (await ask()).status === 200, TIMEOUT);
});

test('clients that disconnect in the middle of an import leave no memory reserved for their reports', async () => {
  const importOne = async () => (await importBody(world, line(world, { external_id: 'next' }))).status;
  const broken = await Promise.all(Array.from({ length: 21 }, () => openImport(world, 1000)));
  await until('there is no memory for another report', async () => (await importOne()) === 503, 10_000);
  for (const connection of broken) connection.hangUp();
  await until('another import is accepted', async () => (await importOne()) === 200, 10_000);
});
