import { afterAll, beforeAll, describe, expect, test } from 'bun:test';
import { perFileLimit, uploadBig } from '../support/big-body.ts';
import { sized } from '../support/long.ts';
import { expectFreeDisk, expectPeakBelow } from '../support/memory.ts';
import { mediaItems } from '../support/shapes.ts';
import { onDisk } from '../support/storage.ts';
import { World } from '../support/world.ts';

/** The size of a file in bytes. Holding {@link many} such files in memory would exceed the server's limit. */
const size = sized(50 * 1024 * 1024, perFileLimit);
const many = sized(4, 10);

describe('the server', () => {
  let world: World;

  beforeAll(async () => {
    expectFreeDisk((many + 1) * size);
    world = await World.openAlone(onDisk);
  });

  afterAll(() => world.close());

  /**
   * Uploads files in concurrent requests. Each list contains the sizes of the files in one request.
   *
   * @param use is called with the links before the items are deleted
   */
  async function uploadAll(requests: readonly number[][], use = async (_links: readonly string[]) => {}) {
    const replies = await Promise.all(requests.map((sizes) => uploadBig(world, sizes)));
    const items = replies.flatMap((reply) => (reply?.status === 201 ? mediaItems(reply) : []));
    expect(items.map((item) => item.size)).toEqual(requests.flat());
    await use(items.map((item) => item.link));
    await expectPeakBelow(world.server.pid, 150);
    for (const { id } of items) expect((await world.call(`DELETE /media_contents/${id}`)).status).toBe(204);
  }

  test('uses less than 150 MB of memory for large files in one request', () =>
    uploadAll([Array.from({ length: many }, () => size)]));

  test('uses less than 150 MB of memory for concurrent uploads of large files', () =>
    uploadAll(Array.from({ length: many }, () => [size])));

  test('uses less than 150 MB of memory for concurrent downloads of a large file', () =>
    uploadAll([[size]], async ([link = '']) => {
      const downloads = await Promise.all(Array.from({ length: many }, () => fetch(link)));
      for (const response of downloads) {
        let received = 0;
        for await (const chunk of response.body ?? []) received += chunk.length;
        expect(received).toBe(size);
      }
    }));
});
