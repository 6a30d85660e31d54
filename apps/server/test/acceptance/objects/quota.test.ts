import { afterAll, afterEach, beforeAll, describe, expect, test } from 'bun:test';
import { bucketContents, clientOf, realS3 } from '@postshelf/testing/servers/s3';
import { bucketStorage, type Library } from '../presign/support/storages.ts';
import { confirm, confirmed, expectServed, issue, send, show, upload } from '../presign/support/uploads.ts';
import * as fixtures from '../support/fixtures.ts';
import { file } from '../support/multipart.ts';
import { arrayAt, at, expectErrorShape, type Reply } from '../support/reply.ts';
import { until } from '../support/until.ts';

const MB = 1024 * 1024;
const quota = 4 * MB;

const png = { name: 'waits.png', mime: 'image/png' };

/** An image of the given number of bytes. */
const picture = (size: number) => Buffer.concat([fixtures.png(), Buffer.alloc(size - fixtures.png().length)]);

const s3 = await realS3('a bucket that is full');
const gateway = s3?.gateway;

describe.skipIf(!s3 || !gateway)('a bucket whose quota is used up', () => {
  let library: Library;
  let bucket: string;

  beforeAll(async () => {
    if (!s3) return;
    library = await bucketStorage(s3, true).open();
    bucket = library.world.server.settings.S3_BUCKET ?? '';
  });
  afterEach(() => gateway?.limit(bucket, null));
  afterAll(() => library.close());

  const contents = async () => s3 && bucketContents(clientOf(s3), bucket);
  const items = async () =>
    at((await library.world.call('GET /workspaces/{workspace}/media_contents')).json, 'meta', 'total');

  function expectFull(reply: Reply): void {
    expect({ status: reply.status, json: reply.json }).toEqual({
      status: 503,
      json: { message: 'The storage is full.' },
    });
    expectErrorShape(reply);
    expect(Number(reply.headers.get('retry-after'))).toBeGreaterThan(0);
  }

  for (const [name, size] of [
    ['a file in one piece', 5 * MB],
    ['a file in parts', 20 * MB],
  ] as const) {
    test(`refuses ${name} with 503, and keeps nothing of it`, async () => {
      const before = [await contents(), await items()];
      await gateway?.limit(bucket, quota);
      expectFull(await library.world.upload([file('big.png', picture(size))]));
      expect([await contents(), await items()]).toEqual(before);
    });
  }

  test('keeps neither of two files if only one of them fits', async () => {
    const before = [await contents(), await items()];
    await gateway?.limit(bucket, quota);
    const parts = [file('small.png', fixtures.png()), file('big.png', picture(5 * MB))];
    expectFull(await library.world.upload(parts));
    expect([await contents(), await items()]).toEqual(before);
  });

  test('rejects a presigned upload that does not fit, without involving the service', async () => {
    await gateway?.limit(bucket, quota);
    const bytes = picture(5 * MB);
    const issued = await issue(library.world, bytes, png);
    expect((await send(issued, bytes)).status).toBe(403);
    expect((await show(library.world, issued)).status).toBe('temporary');
  });

  test('makes the confirmation of an upload fail with 503 until there is room', async () => {
    const { world } = library;
    const bytes = picture(3 * MB);
    const issued = await issue(world, bytes, png);
    await upload(issued, bytes);
    await gateway?.limit(bucket, quota);
    expectFull(await confirm(world, issued));
    const listed = await world.call('GET /workspaces/{workspace}/media_contents?status=temporary&search=waits');
    expect(arrayAt(listed.json, 'data').map((item) => at(item, 'id'))).toContain(issued.id);
    await gateway?.limit(bucket, null);
    // On a busy machine the gateway applies the new limit a moment later.
    await until('there is room', async () => (await confirm(world, issued)).status !== 503);
    await expectServed(await confirmed(world, issued), bytes, true);
    expect(await library.world.keptFiles(issued.id)).toHaveLength(1);
  });
});
