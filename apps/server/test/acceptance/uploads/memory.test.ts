import { afterAll, beforeAll, describe, expect, setDefaultTimeout, test } from 'bun:test';
import { readFileSync, statfsSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { perFileLimit, uploadBig } from '../support/big-body.ts';
import { type MediaItem, mediaItems } from '../support/shapes.ts';
import { onDisk } from '../support/storage.ts';
import { World } from '../support/world.ts';

setDefaultTimeout(240_000);

const limit = 150 * 1024 * 1024;
const diskNeeded = 11 * perFileLimit;

/** The most memory (bytes) that the process has ever had resident: VmHWM, proc(5). */
function peakMemory(pid: number): number {
  const line = /^VmHWM:\s+(\d+) kB$/m.exec(readFileSync(`/proc/${pid}/status`, 'utf8'));
  if (line === null) throw new Error(`No VmHWM for the process ${pid}.`);
  return Number(line[1]) * 1024;
}

describe('"Peak RSS of the server stays under 150 MB for 10 × 200 MB in one request and for 6 requests at once"', () => {
  let world: World;

  beforeAll(async () => {
    const { bavail, bsize } = statfsSync(tmpdir());
    if (bavail * bsize < diskNeeded) throw new Error(`This test needs ${diskNeeded} bytes free in ${tmpdir()}.`);
    world = await World.openAlone(onDisk);
  });

  afterAll(() => world.close());

  async function removeAll(items: readonly MediaItem[]): Promise<void> {
    for (const { id } of items) expect((await world.call(`DELETE /media_contents/${id}`)).status).toBe(204);
  }

  test('10 × 200 MB in one request', async () => {
    const sizes = Array.from({ length: 10 }, () => perFileLimit);
    const reply = await uploadBig(world, sizes);
    expect(reply?.status).toBe(201);
    const items = reply === undefined ? [] : mediaItems(reply);
    expect(items.map((item) => item.size)).toEqual(sizes);
    expect(peakMemory(world.server.pid)).toBeLessThan(limit);
    await removeAll(items);
  });

  test('6 requests at once, one file of 200 MB each', async () => {
    const replies = await Promise.all(Array.from({ length: 6 }, () => uploadBig(world, [perFileLimit])));
    expect(replies.map((reply) => reply?.status)).toEqual([201, 201, 201, 201, 201, 201]);
    expect(peakMemory(world.server.pid)).toBeLessThan(limit);
    await removeAll(replies.flatMap((reply) => (reply === undefined ? [] : mediaItems(reply))));
  });

  test('a download of 200 MB to a client that reads slowly', async () => {
    const reply = await uploadBig(world, [perFileLimit]);
    const items = reply === undefined ? [] : mediaItems(reply);
    const downloads = await Promise.all(Array.from({ length: 6 }, () => fetch(String(items[0]?.link))));
    for (const response of downloads) {
      let received = 0;
      for await (const chunk of response.body ?? []) received += chunk.length;
      expect(received).toBe(perFileLimit);
    }
    expect(peakMemory(world.server.pid)).toBeLessThan(limit);
    await removeAll(items);
  });
});
