import { afterAll, beforeAll, describe, expect, test } from 'bun:test';
import { createHash } from 'node:crypto';
import { uploadHead } from '../support/big-body.ts';
import { ageFiles } from '../support/disk.ts';
import * as fixtures from '../support/fixtures.ts';
import { sized } from '../support/long.ts';
import { file, multipart } from '../support/multipart.ts';
import { openRaw } from '../support/raw.ts';
import { arrayAt, at } from '../support/reply.ts';
import { type MediaItem, mediaItem, mediaItems } from '../support/shapes.ts';
import { until, within } from '../support/until.ts';
import { World } from '../support/world.ts';

let world: World;

beforeAll(async () => {
  world = await World.open();
});

afterAll(() => world.close());

const sha256 = (bytes: Uint8Array) => createHash('sha256').update(bytes).digest('hex');

/** A different image of up to 1.5 MB for each number. */
function picture(number: number): Uint8Array {
  const filling = Buffer.alloc(1 + ((number * 7919) % 31) * 50_000, number % 256);
  return Buffer.concat([fixtures.png(), Buffer.from(`number ${number}`), filling]);
}

async function everyItem(): Promise<MediaItem[]> {
  const items: MediaItem[] = [];
  for (let page = 1; ; page++) {
    const reply = await world.call(`GET /workspaces/{workspace}/media_contents?per_page=100&page=${page}`);
    expect(reply.status).toBe(200);
    items.push(...arrayAt(reply.json, 'data').map(mediaItem));
    if (page >= Number(at(reply.json, 'meta', 'last_page'))) return items;
  }
}

async function bytesOf(item: MediaItem): Promise<Uint8Array> {
  const response = await fetch(item.link);
  expect(`${item.name} ${response.status}`).toBe(`${item.name} 200`);
  return new Uint8Array(await response.arrayBuffer());
}

describe('killing the server', () => {
  const acknowledged = new Map<string, string>();
  let number = 0;

  /**
   * Uploads files without pause on four connections, and kills the server after the given number of answers. Remembers
   * the files that were answered with 201.
   */
  async function uploadUntilKilled(killAfter: number): Promise<void> {
    let answered = 0;
    let killed = false;
    const client = async (video: boolean) => {
      while (!killed) {
        const bytes = video ? fixtures.mp4() : picture(number++);
        const reply = await world
          .upload([file(video ? 'film.mp4' : 'p.png', bytes), file('q.png', picture(number++))])
          .catch(() => undefined);
        if (reply?.status !== 201) continue;
        const [first] = mediaItems(reply);
        if (first !== undefined) acknowledged.set(first.id, sha256(bytes));
        answered += 1;
        // The server is killed after a number of answers, not after a time, so the result doesn't depend on the
        // machine's speed.
        if (answered === killAfter && !killed) {
          killed = true;
          await world.server.end('SIGKILL');
        }
      }
    };
    await Promise.all([client(false), client(false), client(true), client(false)]);
  }

  for (const killAfter of sized([1, 5], [1, 2, 3, 5, 8, 13])) {
    test(`after ${killAfter} answers keeps acknowledged files, and leaves only complete items`, async () => {
      await uploadUntilKilled(killAfter);
      await world.restart();
      for (const [id, hash] of acknowledged) {
        const reply = await world.call(`GET /media_contents/${id}`);
        expect(`${id} ${reply.status}`).toBe(`${id} 200`);
        const item = mediaItem(at(reply.json, 'data'));
        expect(item.status).toBe('active');
        expect(sha256(await bytesOf(item))).toBe(hash);
      }
      for (const item of await everyItem()) {
        expect((await bytesOf(item)).length).toBe(Number(item.size));
        if (item.thumbnail !== null) expect((await bytesOf(item.thumbnail)).length).toBe(Number(item.thumbnail.size));
      }
    });
  }

  test('creates no items for files that were still arriving', async () => {
    const before = (await everyItem()).length;
    const files = await world.files();
    for (let index = 0; index < 5; index++) {
      const connection = await openRaw(world.server.port, 'POST');
      const body = multipart([
        file('half.png', Buffer.concat([picture(30), new Uint8Array(2_000_000)])),
        file('half.mp4', fixtures.mp4()),
      ]).bytes;
      await connection.send(uploadHead(world, body.length + 1_000_000));
      await connection.send(body);
    }
    await world.untilReceiving(files);
    await world.server.end('SIGKILL');
    await world.restart();
    expect((await everyItem()).length).toBe(before);
  });

  test('during deletions leaves each item either complete or deleted', async () => {
    const doomed = await world.store(
      ...Array.from({ length: 10 }, (_, index) => file(`d${index}.png`, picture(index))),
    );
    const deletes = doomed.map((item) => world.call(`DELETE /media_contents/${item.id}`).catch(() => undefined));
    await Promise.race(deletes);
    await world.server.end('SIGKILL');
    const replies = await Promise.all(deletes);
    await world.restart();
    for (const [index, item] of doomed.entries()) {
      const reply = await world.call(`GET /media_contents/${item.id}`);
      if (replies[index]?.status === 204) expect(reply.status).toBe(404);
      if (reply.status === 200) expect((await bytesOf(item)).length).toBe(Number(item.size));
      else expect((await fetch(item.link)).status).toBe(404);
    }
  });

  test('leaves only objects of items and of recorded deletions once gc has run', async () => {
    // These files now seem older than their library, so gc removes them only with --yes-really.
    if (!world.storage.isBucket) ageFiles(world.dataDir);
    await world.run(['gc', '--yes-really']);
    const items = await everyItem();
    const objects = items.flatMap((item) => [item, ...(item.thumbnail === null ? [] : [item.thumbnail])]);
    const files = await world.files();
    const known = [...objects.map(({ full_name: key }) => key), ...(await world.awaitingDestruction())];
    const strays = files.filter((path) => !known.some((key) => path.endsWith(key)));
    // Files at the top of the folder belong to the server itself (its key, its lock), not to uploads. In a bucket,
    // leftovers stay until they are a day old.
    if (!world.storage.isBucket) expect(strays.filter((path) => path.includes('/'))).toEqual([]);
    for (const object of objects) expect(files.some((path) => path.endsWith(object.full_name))).toBe(true);
  });

  test('loses no objects of uploads that run during a gc', async () => {
    const uploads = Array.from({ length: 6 }, (_, index) =>
      world.store(file(`live-${index}.png`, picture(index + 100)), file('film.mp4', fixtures.mp4())),
    );
    await world.run(['gc']);
    const later = world.run(['gc']);
    for (const item of (await Promise.all(uploads)).flat()) {
      expect((await bytesOf(item)).length).toBe(Number(item.size));
    }
    await later;
  });
});

describe('stopping the server', () => {
  for (const signal of sized(['SIGTERM'] as const, ['SIGTERM', 'SIGINT'] as const)) {
    test(`completes the running upload, refuses new connections and exits with 0 on ${signal}`, async () => {
      // This image is larger than what the server holds in memory before it writes a file.
      const bytes = Buffer.concat([picture(323), new Uint8Array(3_000_000)]);
      const body = multipart([file('late.png', bytes)]).bytes;
      const files = await world.files();
      const connection = await openRaw(world.server.port, 'POST');
      await connection.send(uploadHead(world, body.length));
      await connection.send(body.subarray(0, body.length / 2));
      await world.untilReceiving(files);
      const ended = world.server.end(signal);
      await until('new connections are refused', () =>
        fetch(`${world.server.url}/health`, { keepalive: false } as RequestInit).then(
          (response) => response.status !== 200,
          () => true,
        ),
      );
      await connection.send(body.subarray(body.length / 2));
      const reply = await within('the answer', connection.reply);
      connection.hangUp();
      expect(reply?.status).toBe(201);
      expect(await within('the end of the server', ended)).toBe(0);
      await world.restart();
      const [item] = reply === undefined ? [] : mediaItems(reply);
      expect((await bytesOf(mediaItem(item))).length).toBe(bytes.length);
    });
  }
});
