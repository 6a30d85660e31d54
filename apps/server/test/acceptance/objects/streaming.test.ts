import { afterAll, beforeAll, describe, expect, test } from 'bun:test';
import { makeBucket, realS3 } from '@postshelf/testing/servers/s3';
import * as fixtures from '../support/fixtures.ts';
import { file } from '../support/multipart.ts';
import { rawRequest } from '../support/raw.ts';
import { settingsOf } from '../support/s3.ts';
import { World } from '../support/world.ts';

const s3 = await realS3('files streamed from a bucket');

describe.skipIf(!s3)('a file streamed from a bucket (S3_REDIRECT=false)', () => {
  let world: World;
  let remove: () => Promise<void>;
  let link: string;
  const bytes = fixtures.mp4(20);
  const size = bytes.length;

  beforeAll(async () => {
    if (!s3) return;
    const made = await makeBucket(s3);
    remove = made.remove;
    world = await World.openAlone({ ...settingsOf(s3, made.bucket), S3_REDIRECT: 'false' });
    link = (await world.storeOne(file('film.mp4', bytes))).link;
  });
  afterAll(async () => {
    await world.close();
    await remove();
  });

  test('has its full length in the answer to HEAD, even with a range', async () => {
    for (const headers of [{}, { Range: 'bytes=0-9' }]) {
      const { status, headers: received } = await fetch(link, { method: 'HEAD', headers });
      expect({ status, length: received.get('content-length'), ranges: received.get('accept-ranges') }).toEqual({
        status: 200,
        length: String(size),
        ranges: 'bytes',
      });
    }
  });

  test('is sent in ranges with Content-Range and the right bytes', async () => {
    for (const [range, first, last] of [
      ['bytes=0-0', 0, 0],
      ['bytes=100-1099', 100, 1099],
      [`bytes=${size - 5}-`, size - 5, size - 1],
      ['bytes=-5', size - 5, size - 1],
      [`bytes=0-${size * 2}`, 0, size - 1],
    ] as const) {
      const response = await fetch(link, { headers: { Range: range } });
      const part = new Uint8Array(await response.arrayBuffer());
      expect({ range, status: response.status, is: response.headers.get('content-range') }).toEqual({
        range,
        status: 206,
        is: `bytes ${first}-${last}/${size}`,
      });
      expect(Buffer.compare(part, bytes.subarray(first, last + 1))).toBe(0);
    }
    const beyond = await fetch(link, { headers: { Range: `bytes=${size}-` } });
    expect({ status: beyond.status, is: beyond.headers.get('content-range') }).toEqual({
      status: 416,
      is: `bytes */${size}`,
    });
  });

  test('is sent whole with its length', async () => {
    const { pathname } = new URL(link);
    const reply = await rawRequest(
      world.server.port,
      `GET ${pathname} HTTP/1.1\r\nHost: 127.0.0.1:${world.server.port}\r\nConnection: close\r\n\r\n`,
    );
    expect(Buffer.compare(Buffer.from(reply?.bytes ?? []), Buffer.from(bytes))).toBe(0);
    expect(reply?.headers.get('content-length')).toBe(String(size));
    expect(reply?.headers.get('transfer-encoding') ?? null).toBeNull();
  });

  // Bun drops the length (docs/decisions/25-bun.md). Once it passes the length on, copies can be removed.
  test('is sent to a browser in chunks without a length if it is a large video', async () => {
    const { head, zeros, tail } = fixtures.bigMp4(5 * 1024 * 1024);
    const large = Buffer.concat([head, new Uint8Array(zeros), tail]);
    const { link } = await world.storeOne(file('large.mp4', large));
    const response = await fetch(link, { headers: { 'Sec-Fetch-Dest': 'video' } });
    expect(Buffer.compare(Buffer.from(await response.arrayBuffer()), large)).toBe(0);
    expect([response.status, response.headers.get('content-length')]).toEqual([200, null]);
  });
});
