import { afterAll, beforeAll, expect, test } from 'bun:test';
import { openRaw, type RawConnection } from '../support/raw.ts';
import { within } from '../support/until.ts';
import { World } from '../support/world.ts';
import { figures } from './support/figures.ts';

let world: World;

beforeAll(async () => {
  world = await World.open();
});
afterAll(() => world.close());

/** Sends a byte every 250 ms until the connection is closed. */
async function dribble(connection: RawConnection): Promise<void> {
  while (await connection.send('a')) await Bun.sleep(250);
}

test('a connection whose request head takes too long is closed, even if bytes keep arriving', async () => {
  const beginnings = ['', 'GET /health HTTP/1.1\r\nHost: x', 'GET /health HTTP/1.1\r\nHost: x\r\nX-Slow: '];
  const connections = await Promise.all(beginnings.map(() => openRaw(world.server.port)));
  for (const [index, connection] of connections.entries()) await connection.send(beginnings[index] ?? '');
  const dribbling = connections.slice(2).map(dribble);
  await within('the server closes all connections', Promise.all(connections.map(({ closed }) => closed)));
  await Promise.all(dribbling);
  for (const { reply } of connections) expect(await reply).toBeUndefined();
});

test('a tRPC request without a token is answered before its body arrives', async () => {
  const connection = await openRaw(world.server.port, 'POST');
  const lines = [
    'POST /trpc/folders.create HTTP/1.1',
    'Host: x',
    'Content-Type: application/json',
    'Content-Length: 999999',
  ];
  await connection.send(`${lines.join('\r\n')}\r\n\r\n{"workspace":`);
  const reply = await within('the answer', connection.reply, 5_000);
  expect(reply?.status).toBe(401);
  connection.hangUp();
});

test('500 idle connections take less than 30 MB, and other requests are answered', async () => {
  const before = (await figures(world)).get('process_resident_memory_bytes') ?? 0;
  const idle = await Promise.all(Array.from({ length: 500 }, () => openRaw(world.server.port)));
  try {
    for (const connection of idle) await connection.send('GET /health HTTP/1.1\r\nHost: x\r\nX-Slow: ');
    expect((await world.call('GET /workspaces/{workspace}/media_contents')).status).toBe(200);
    const after = await figures(world);
    expect(after.get('process_open_fds')).toBeGreaterThan(500);
    expect((after.get('process_resident_memory_bytes') ?? Number.POSITIVE_INFINITY) - before).toBeLessThan(30_000_000);
  } finally {
    for (const connection of idle) connection.hangUp();
  }
});
