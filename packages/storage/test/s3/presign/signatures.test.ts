import { afterAll, beforeAll, describe, expect, test } from 'bun:test';
import { expectRefused, newUpload } from '@postshelf/testing/contracts/presign-storage/samples';
import { outcomeOf } from '@postshelf/testing/outcomes';
import { realS3 } from '@postshelf/testing/servers/s3';
import { until } from '@postshelf/testing/waiting';
import { ITEM, KEY, publishText, readText, WORKSPACE } from '../../support/objects.ts';
import { openBucket } from '../../support/s3.ts';

const real = await realS3('signed S3 addresses');

describe.skipIf(!real)('presigned S3 addresses', () => {
  let opened: Awaited<ReturnType<typeof openBucket>>;

  beforeAll(async () => {
    if (!real) return;
    opened = await openBucket(real);
    await publishText(opened.storage, KEY, 'a published object');
  });
  afterAll(() => opened.close());

  describe('an upload address', () => {
    test('binds host, type and length, and contains no secret', async () => {
      const { url, headers } = await opened.presign.address(newUpload({ type: 'video/quicktime' }));
      const query = new URL(url).searchParams;
      expect(query.get('X-Amz-SignedHeaders')).toBe('content-length;content-type;host');
      expect(headers).toEqual({ 'Content-Type': 'video/quicktime' });
      expect(url).not.toContain(real?.credentials.secretAccessKey ?? '');
    });

    test.each([60, 3600])('expires with its upload, after %d seconds', async (seconds) => {
      const expiresAt = (Math.floor(Date.now() / 1000) + seconds) * 1000;
      const query = new URL((await opened.presign.address(newUpload({ expiresAt }))).url).searchParams;
      const signedAt = Date.parse((query.get('X-Amz-Date') ?? '').replace(/^(....)(..)(..T..)(..)/, '$1-$2-$3:$4:'));
      expect(signedAt + Number(query.get('X-Amz-Expires')) * 1000).toBe(expiresAt);
    });

    test.each([
      ['a published object', () => KEY],
      ['a published object, by a path through the uploads', () => `.uploads/../${KEY}`],
      ['a published object, by an encoded path through the uploads', () => `.uploads/%2e%2e/${KEY}`],
      ['a new object', () => `${WORKSPACE}/${ITEM}/new.jpg`],
      ['the staging folder', () => `.staging/${ITEM}`],
      ['the bucket itself', () => ''],
    ])('is refused for %s', async (_, path) => {
      const presigned = newUpload();
      const address = await opened.presign.address(presigned);
      const elsewhere = (url: string): string => url.replace(`.uploads/${presigned.id}`, path());
      await expectRefused(opened, { presigned, address }, { url: elsewhere });
      expect(await readText(opened.storage, KEY)).toBe('a published object');
      expect(await opened.storage.open(`${WORKSPACE}/${ITEM}/new.jpg`)).toBeNull();
    });

    test('is refused in another bucket', async () => {
      const presigned = newUpload();
      const address = await opened.presign.address(presigned);
      const attack = { url: (url: string) => url.replace(opened.bucket, `${opened.bucket}-x`) };
      await expectRefused(opened, { presigned, address }, attack);
    });
  });

  describe('a temporary link', () => {
    test('serves the object, its type, and ranges of it', async () => {
      const link = await opened.links.linkTo(KEY, { method: 'GET', expiresIn: 60 });
      const whole = await fetch(link);
      expect(await whole.text()).toBe('a published object');
      expect(whole.headers.get('content-type')).toBe('image/jpeg');
      expect(whole.headers.get('cache-control')).toBe('public, max-age=31536000, immutable');
      const part = await fetch(link, { headers: { Range: 'bytes=2-10' } });
      expect([part.status, await part.text()]).toEqual([206, 'published']);
    });

    test('makes browsers save the object under a name', async () => {
      const disposition = `attachment; filename="_.jpg"; filename*=UTF-8''%E6%97%A5.jpg`;
      const link = await opened.links.linkTo(KEY, { method: 'GET', expiresIn: 60, disposition });
      const saved = await fetch(link);
      expect([await saved.text(), saved.headers.get('content-disposition')]).toEqual([
        'a published object',
        disposition,
      ]);
    });

    test('is valid for one method only', async () => {
      const get = await opened.links.linkTo(KEY, { method: 'GET', expiresIn: 60 });
      const head = await opened.links.linkTo(KEY, { method: 'HEAD', expiresIn: 60 });
      const status = async (url: string, method: string) => (await fetch(url, { method })).status;
      expect([await status(head, 'HEAD'), await status(head, 'GET'), await status(get, 'HEAD')]).toEqual([
        200, 403, 403,
      ]);
      expect([await status(get, 'PUT'), await status(get, 'DELETE')]).toEqual([403, 403]);
      expect(await readText(opened.storage, KEY)).toBe('a published object');
    });

    test('is refused once it has expired', async () => {
      const link = await opened.links.linkTo(KEY, { method: 'GET', expiresIn: 1 });
      let last = 200;
      const isRefused = async (): Promise<boolean> => {
        last = (await fetch(link)).status;
        return last !== 200;
      };
      // The URL expires by the clock of the store, so it is requested until it is refused.
      await until('it is refused', isRefused);
      expect(last).toBe(403);
    });

    test('is valid only for its object, and only with its signature', async () => {
      const link = await opened.links.linkTo(KEY, { method: 'GET', expiresIn: 60 });
      const other = `${WORKSPACE}/${ITEM}/other.jpg`;
      await publishText(opened.storage, other, 'another object');
      for (const url of [link.replace('photo.jpg', 'other.jpg'), link.slice(0, link.indexOf('?'))]) {
        expect((await fetch(url)).status).toBe(403);
      }
    });

    test.each(['../photo.jpg', '.staging/x', '', `/${KEY}`])('is refused for an invalid key: %p', async (key) => {
      expect(await outcomeOf(opened.links.linkTo(key, { method: 'GET', expiresIn: 60 }))).toThrow('Not the key');
    });
  });
});
