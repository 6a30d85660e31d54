import { afterAll, beforeAll, describe, expect, test } from 'bun:test';
import { newUpload } from '@postshelf/testing/contracts/presign-storage/samples';
import { makeBucket, openS3Proxy, realS3, type S3Proxy } from '@postshelf/testing/servers/s3';
import { openS3, type S3 } from '../../../src/s3/index.ts';
import { KEY, publishText } from '../../support/objects.ts';

const real = await realS3('a store that clients reach at another address');

describe.skipIf(!real)('a store that clients reach at another address', () => {
  let proxy: S3Proxy;
  let s3: S3;
  let remove: () => Promise<void>;

  beforeAll(async () => {
    if (!real) return;
    const made = await makeBucket(real);
    remove = made.remove;
    proxy = await openS3Proxy(real.endpoint);
    const clientEndpoint = proxy.endpoint.replace('127.0.0.1', 'localhost');
    s3 = await openS3({ ...real, bucket: made.bucket, clientEndpoint });
    await publishText(s3.storage, KEY, 'a published object');
  });
  afterAll(async () => {
    s3.close();
    await remove();
    await proxy.close();
  });

  /** Returns the same URL with each of the store's host names. */
  const byAllNames = (url: string) => {
    const { origin } = new URL(url);
    const own = real?.endpoint ?? '';
    return { localhost: url, byNumber: url.replace(origin, proxy.endpoint), own: url.replace(origin, own) };
  };
  const statuses = async (url: string, init: RequestInit) => {
    const entries = Object.entries(byAllNames(url)).map(async ([name, each]) => {
      const response = await fetch(each, init);
      await response.arrayBuffer();
      return [name, response.status] as const;
    });
    return Object.fromEntries(await Promise.all(entries));
  };

  test('signs addresses that are accepted at that host and refused at any other', async () => {
    const presigned = newUpload({ size: 3 });
    const { url, headers } = await s3.presign.address(presigned);
    const sent = await statuses(url, { method: 'PUT', headers, body: 'abc' });
    expect(sent).toEqual({ localhost: 200, byNumber: 403, own: 403 });
    expect((await s3.presign.take(presigned.id))?.size).toBe(3);
    const link = await s3.links.linkTo(KEY, { method: 'GET', expiresIn: 60 });
    expect(await statuses(link, {})).toEqual({ localhost: 200, byNumber: 403, own: 403 });
  });

  test('is used by the service only at its own address', async () => {
    const passed: string[] = [];
    proxy.decide = ({ method, url }) => {
      passed.push(`${method} ${url}`);
      return 'pass';
    };
    await publishText(s3.storage, KEY.replace('photo', 'other'), 'another object');
    await s3.storage.check();
    expect(passed).toEqual([]);
  });
});
