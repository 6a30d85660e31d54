import { expect, test } from 'bun:test';
import { filesBelow } from '../support/disk.ts';
import * as fixtures from '../support/fixtures.ts';
import { openRaw } from '../support/raw.ts';
import { expectErrorShape } from '../support/reply.ts';
import { onDisk } from '../support/storage.ts';
import { until, within } from '../support/until.ts';
import { World } from '../support/world.ts';
import { confirmed, expectServed, type Issued, issue, send, upload } from './support/uploads.ts';

const bytes = fixtures.jpeg();

/** Sends half of an upload, and keeps the connection open. */
async function sendHalf(world: World, { url, headers }: Issued) {
  const { pathname, search, host } = new URL(url);
  const connection = await openRaw(world.server.port, 'PUT');
  const lines = [`PUT ${pathname}${search} HTTP/1.1`, `Host: ${host}`, `Content-Length: ${bytes.length}`];
  for (const [name, value] of Object.entries(headers)) lines.push(`${name}: ${value}`);
  await connection.send(`${lines.join('\r\n')}\r\n\r\n`);
  await connection.send(bytes.subarray(0, bytes.length / 2));
  return connection;
}

test('four concurrent uploads to one presigned URL are accepted, and the fifth gets 429', async () => {
  const world = await World.openAlone(onDisk);
  try {
    const issued = await issue(world, bytes);
    const before = filesBelow(world.dataDir).length;
    const halves = await Promise.all(Array.from({ length: 4 }, () => sendHalf(world, issued)));
    await until('the server stores all four', () => filesBelow(world.dataDir).length === before + 4);

    const fifth = await send(issued, bytes);
    expect(fifth.status).toBe(429);
    expectErrorShape(fifth);
    expect(Number(fifth.headers.get('retry-after'))).toBeGreaterThan(0);
    // An upload to a different URL is accepted.
    await upload(await issue(world, bytes), bytes);

    const [first, second, ...others] = halves;
    await first?.send(bytes.subarray(bytes.length / 2));
    expect((await within('the answer', first?.reply ?? Promise.resolve(undefined)))?.status).toBe(200);
    second?.hangUp();
    await until(
      'an upload that is complete or aborted frees its slot',
      async () => (await send(issued, bytes)).status === 200,
    );
    for (const connection of others) connection.hangUp();
    await expectServed(await confirmed(world, issued), bytes);
  } finally {
    await world.close();
  }
});
