import { afterAll, afterEach, beforeAll, describe, expect, test } from 'bun:test';
import {
  bucketContents,
  clientOf,
  openS3Proxy,
  type ProxiedRequest,
  realS3,
  type S3Proxy,
} from '@postshelf/testing/servers/s3';
import { figures } from '../operate/support/figures.ts';
import { bucketStorage, type Library } from '../presign/support/storages.ts';
import { confirm, confirmed, expectServed, issue, upload } from '../presign/support/uploads.ts';
import { uploadHead } from '../support/big-body.ts';
import * as fixtures from '../support/fixtures.ts';
import { expectPeakBelow } from '../support/memory.ts';
import { boundary, file, multipart } from '../support/multipart.ts';
import { openRaw } from '../support/raw.ts';
import { expectErrorShape, type Reply } from '../support/reply.ts';
import { until } from '../support/until.ts';

const s3 = await realS3('a store that is too busy');

describe.skipIf(!s3)('a service with a slow or busy store', () => {
  let proxy: S3Proxy;
  let library: Library;

  beforeAll(async () => {
    if (!s3) return;
    proxy = await openS3Proxy(s3.endpoint);
    // Clients send their files directly to the store, so the store seems busy only to the service, which uses the
    // proxy.
    const settings = { S3_ENDPOINT: proxy.endpoint, S3_CLIENT_ENDPOINT: s3.endpoint };
    library = await bucketStorage(s3, true).open(settings);
  });
  afterEach(() => {
    proxy.decide = () => 'pass';
  });
  afterAll(async () => {
    await library.close();
    await proxy.close();
  });

  /** Refuses the given number of matching requests. @returns a function that returns how many were refused so far */
  function refuse(times: number, isMeant: (request: ProxiedRequest) => boolean): () => number {
    let refused = 0;
    proxy.decide = (request) => {
      if (refused === times || !isMeant(request)) return 'pass';
      refused += 1;
      return 'slow_down';
    };
    return () => refused;
  }

  const contents = async () => s3 && bucketContents(clientOf(s3), library.world.server.settings.S3_BUCKET ?? '');

  function expectUnavailable(reply: Reply): void {
    expect({ status: reply.status, json: reply.json }).toEqual({
      status: 503,
      json: { message: 'The storage is unavailable.' },
    });
    expectErrorShape(reply);
    expect(Number(reply.headers.get('retry-after'))).toBeGreaterThan(0);
  }

  // This test runs first, because peak memory never goes down.
  test('keeps ten uploads waiting in limited memory, and completes them once the store accepts bytes', async () => {
    const release = Promise.withResolvers<'pass'>();
    let held = 0;
    proxy.decide = ({ method, url }) => {
      if (method !== 'PUT' || !url.includes('partNumber=')) return 'pass';
      held += 1;
      return release.promise;
    };
    const picture = Buffer.concat([fixtures.png(), Buffer.alloc(12_000_000)]);
    const storing = Array.from({ length: 10 }, () => library.world.storeOne(file('big.png', picture)));
    await until('as many parts are under way as there may be', () => held >= 10 + 2);
    await expectPeakBelow(library.world.server.pid, 190);
    release.resolve('pass');
    const items = await Promise.all(storing);
    expect(items.map(({ size }) => size)).toEqual(Array(10).fill(picture.length));
  });

  const kinds: readonly [string, (request: ProxiedRequest) => boolean][] = [
    ['copying', ({ isCopy }) => isCopy],
    ['looking up the upload', ({ method, url }) => method === 'HEAD' && url.includes('.uploads')],
    ['reading', ({ method }) => method === 'GET'],
    ['deleting', ({ method }) => method === 'DELETE'],
  ];
  for (const [name, isMeant] of kinds) {
    test(`confirms an upload although the store refuses ${name} twice`, async () => {
      const issued = await issue(library.world, fixtures.jpeg());
      await upload(issued, fixtures.jpeg());
      const refused = refuse(2, isMeant);
      await expectServed(await confirmed(library.world, issued), fixtures.jpeg(), true);
      expect(refused()).toBe(2);
    });
  }

  test('completes an upload in one piece or in parts although the store refuses it twice', async () => {
    for (const size of [5_000_000, 20_000_000]) {
      const picture = Buffer.concat([fixtures.png(), Buffer.alloc(size)]);
      const refused = refuse(2, ({ method, isCopy }) => method === 'PUT' && !isCopy);
      const item = await library.world.storeOne(file('big.png', picture));
      expect(refused()).toBe(2);
      await expectServed(item, picture, true);
    }
  });

  const waits: readonly [string, number, (request: ProxiedRequest) => boolean][] = [
    ['storing a file in one piece', 1_000, ({ method, isCopy }) => method === 'PUT' && !isCopy],
    ['storing parts', 20_000_000, ({ url }) => url.includes('partNumber=')],
    ['combining parts', 6_000_000, ({ method, url }) => method === 'POST' && url.includes('uploadId=')],
    ['looking up the staged object', 1_000, ({ method, url }) => method === 'HEAD' && url.includes('.staging')],
    ['reading the staged object', 1_000, ({ method }) => method === 'GET'],
  ];
  for (const [what, size, isMeant] of waits) {
    test(`frees the slot of a client that disconnects while the store hangs on ${what}, and keeps nothing`, async () => {
      const before = await contents();
      const release = Promise.withResolvers<'pass'>();
      let held = 0;
      proxy.decide = (request) => {
        if (!isMeant(request)) return 'pass';
        held += 1;
        return release.promise;
      };
      // The service doesn't inspect a WebP file while receiving it.
      const picture = Buffer.concat([fixtures.webp(), Buffer.alloc(size)]);
      const { bytes } = multipart([file('big.webp', picture)], boundary);
      const connection = await openRaw(library.world.server.port, 'POST');
      await connection.send(uploadHead(library.world, bytes.length));
      void connection.send(bytes);
      await until('the store keeps it waiting', () => held > 0);
      const uploads = async () => (await figures(library.world)).get('postshelf_uploads_running');
      expect(await uploads()).toBe(1);
      connection.hangUp();
      // The slot is free long before the service would give up on the store.
      await until('its slot is free', async () => (await uploads()) === 0);
      await until('nothing is left', async () => Bun.deepEquals(await contents(), before));
      release.resolve('pass');
    });
  }

  test('answers a confirmation with 503 while the store refuses everything, and with 200 afterwards', async () => {
    const issued = await issue(library.world, fixtures.jpeg());
    await upload(issued, fixtures.jpeg());
    refuse(Number.POSITIVE_INFINITY, () => true);
    expectUnavailable(await confirm(library.world, issued));
    proxy.decide = () => 'pass';
    await expectServed(await confirmed(library.world, issued), fixtures.jpeg(), true);
    expect(await library.world.keptFiles(issued.id)).toHaveLength(1);
  });

  test('answers an upload in one piece or in parts with 503 while the store refuses writes, and keeps nothing', async () => {
    const before = await contents();
    for (const size of [1_000, 20_000_000]) {
      // Only writes are refused, so that the service can clean up.
      refuse(Number.POSITIVE_INFINITY, ({ method }) => method === 'PUT');
      const picture = Buffer.concat([fixtures.png(), Buffer.alloc(size)]);
      expectUnavailable(await library.world.upload([file('big.png', picture)]));
      expect(await contents()).toEqual(before);
    }
  });
});
