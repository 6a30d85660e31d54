import { afterAll, beforeAll, describe, expect, test } from 'bun:test';
import { openS3Proxy, realS3, type S3Proxy } from '@postshelf/testing/servers/s3';
import * as fixtures from '../support/fixtures.ts';
import { sized } from '../support/long.ts';
import { bucketStorage, type Library, onFiles } from './support/storages.ts';
import { confirm, confirmed, expectServed, type Issued, issue, setTime, show, upload } from './support/uploads.ts';

const bytes = fixtures.jpeg();

async function issueAndUpload({ world }: Library): Promise<Issued> {
  const issued = await issue(world, bytes);
  await upload(issued, bytes);
  return issued;
}

/** Checks that no item is stuck: each one is temporary or active, can be confirmed, and has one stored file. */
async function expectNoneStuck(library: Library, uploads: readonly Issued[], redirects: boolean) {
  const { world } = library;
  for (const issued of uploads) {
    expect(['temporary', 'active']).toContain((await show(world, issued)).status);
    await expectServed(await confirmed(world, issued), bytes, redirects);
  }
  // If the process was killed after an item became active, garbage collection removes the leftover upload.
  await world.run(['gc']);
  for (const { id } of uploads) expect(await library.world.keptFiles(id)).toHaveLength(1);
}

// These tests store files on disk. The tests below use a bucket, and kill the server at each request of a confirmation.
describe('a server killed while it confirms uploads', () => {
  let library: Library;
  beforeAll(async () => {
    library = await onFiles.open();
  });
  afterAll(() => library.close());

  test.each(sized([3], [1, 6]))('leaves no item stuck after %i of twelve answers', async (killAfter) => {
    const { world } = library;
    const uploads = await Promise.all(Array.from({ length: 12 }, () => issueAndUpload(library)));
    // The server is killed after a number of answers, not after a time, so the result doesn't depend on the machine's
    // speed.
    let answers = 0;
    const enough = Promise.withResolvers<void>();
    const confirmations = uploads.map(async (issued) => {
      const reply = await confirm(world, issued).catch(() => undefined);
      if (reply?.status === 200 && ++answers === killAfter) enough.resolve();
    });
    await enough.promise;
    await world.server.end('SIGKILL');
    await Promise.all(confirmations);
    await world.restart();
    await expectNoneStuck(library, uploads, false);
  });
});

const s3 = await realS3('a kill in the middle of a confirmation, at each of its requests to the store');

describe.skipIf(!s3)('a server killed while a confirmation waits for the store', () => {
  let proxy: S3Proxy;
  let library: Library;
  beforeAll(async () => {
    if (!s3) return;
    proxy = await openS3Proxy(s3.endpoint);
    library = await bucketStorage(s3, true).open({ S3_ENDPOINT: proxy.endpoint, S3_CLIENT_ENDPOINT: s3.endpoint });
  });
  afterAll(async () => {
    await library?.close();
    await proxy?.close();
  });

  test.each(sized([1, 5], [1, 2, 3, 4, 5, 8, 13]))('leaves no item stuck (killed at request %i)', async (number) => {
    const { world } = library;
    const issued = await issueAndUpload(library);
    const reached = Promise.withResolvers<void>();
    const dead = Promise.withResolvers<void>();
    let count = 0;
    proxy.decide = async () => {
      count += 1;
      if (count === number) reached.resolve();
      // The request still reaches the store after the process is killed, like a request that is already on its way.
      if (count >= number) await dead.promise;
      return 'pass' as const;
    };
    const confirmation = confirm(world, issued).then(
      () => reached.resolve(),
      () => undefined,
    );
    await reached.promise;
    await world.server.end('SIGKILL');
    dead.resolve();
    await confirmation;
    proxy.decide = () => 'pass';
    await world.restart();
    // The lease of the killed process would last for some more seconds. The tests above wait until it expires; this
    // test makes it expire now.
    if ((await show(world, issued)).status === 'temporary') await setTime(world, issued.id, 'lease_until', Date.now());
    await expectNoneStuck(library, [issued], true);
  });
});
