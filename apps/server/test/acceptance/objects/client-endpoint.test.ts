import { describe, expect, test } from 'bun:test';
import { openS3Proxy, realS3 } from '@postshelf/testing/servers/s3';
import { bucketStorage } from '../presign/support/storages.ts';
import { confirmed, expectServed, issue, upload } from '../presign/support/uploads.ts';
import * as fixtures from '../support/fixtures.ts';

const s3 = await realS3('a store that browsers reach by another address');

describe.skipIf(!s3)('S3_CLIENT_ENDPOINT', () => {
  test('is used in working upload URLs and redirects', async () => {
    if (!s3) return;
    const way = await openS3Proxy(s3.endpoint);
    const clientEndpoint = way.endpoint.replace('127.0.0.1', 'localhost');
    const library = await bucketStorage(s3, true).open({ S3_CLIENT_ENDPOINT: clientEndpoint });
    try {
      const issued = await issue(library.world, fixtures.jpeg());
      expect(new URL(issued.url).origin).toBe(clientEndpoint);
      await upload(issued, fixtures.jpeg());
      const item = await confirmed(library.world, issued);
      const redirect = await fetch(item.link, { redirect: 'manual' });
      expect(new URL(redirect.headers.get('location') ?? '').origin).toBe(clientEndpoint);
      await expectServed(item, fixtures.jpeg(), true);
    } finally {
      await library.close();
      await way.close();
    }
  });
});
