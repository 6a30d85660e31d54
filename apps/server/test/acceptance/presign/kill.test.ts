import { describe, expect, setDefaultTimeout, test } from 'bun:test';
import { openS3Proxy, realS3 } from '@postshelf/testing/servers/s3';
import * as fixtures from '../support/fixtures.ts';
import { bucketStorage, type Library, uploadStorages } from './support/storages.ts';
import { setTime } from './support/tickets.ts';
import { confirm, confirmed, expectServed, type Issued, issue, show, upload } from './support/uploads.ts';

setDefaultTimeout(120_000);

/** Nothing of the item is stuck: it waits or is active, can be confirmed, and stands once in the storage. */
async function expectWhole(library: Library, uploads: readonly Issued[], bytes: Uint8Array, redirects: boolean) {
  const { world } = library;
  for (const issued of uploads) {
    expect(['temporary', 'active']).toContain((await show(world, issued)).status);
    await expectServed(await confirmed(world, issued), bytes, redirects);
  }
  // An upload that was active already when the process died is left for the collection.
  await world.run(['gc']);
  for (const { id } of uploads) expect(await library.kept(id)).toHaveLength(1);
}

describe('"assume kill -9 between any two lines" of a confirmation', () => {
  for (const storage of uploadStorages) {
    for (const killAfter of [1, 6]) {
      test(`on ${storage.name}, killed at the ${killAfter}. of many answers`, async () => {
        const library = await storage.open();
        const { world } = library;
        try {
          const bytes = fixtures.jpeg();
          const uploads: Issued[] = [];
          for (let count = 0; count < 12; count += 1) uploads.push(await issue(world, bytes));
          for (const issued of uploads) await upload(issued, bytes);
          // Counting answers rather than time keeps the moment random in the server and the test free of clocks.
          let answers = 0;
          const enough = Promise.withResolvers<void>();
          const confirmations = uploads.map(async (issued) => {
            const reply = await confirm(world, issued).catch(() => undefined);
            if (reply?.status !== 200) return;
            answers += 1;
            if (answers === killAfter) enough.resolve();
          });
          await enough.promise;
          await world.server.end('SIGKILL');
          await Promise.all(confirmations);
          await world.restart();
          await expectWhole(library, uploads, bytes, storage.redirects);
        } finally {
          await library.close();
        }
      });
    }
  }
});

const s3 = await realS3('a kill in the middle of a confirmation, at each of its requests to the store');

describe.skipIf(!s3)('killed while a request of the confirmation is on its way to the store', () => {
  for (const number of [1, 2, 3, 5, 8, 13]) {
    test(`the ${number}. of them`, async () => {
      if (!s3) return;
      const proxy = await openS3Proxy(s3.endpoint);
      const settings = { S3_ENDPOINT: proxy.endpoint, S3_CLIENT_ENDPOINT: s3.endpoint };
      const library = await bucketStorage(s3, true).open(settings);
      const { world } = library;
      try {
        const bytes = fixtures.jpeg();
        const issued = await issue(world, bytes);
        await upload(issued, bytes);
        const reached = Promise.withResolvers<void>();
        let count = 0;
        proxy.decide = async () => {
          count += 1;
          if (count === number) reached.resolve();
          // It gets there all the same when the process is dead: what was sent can't be called back.
          if (count >= number) await dead.promise;
          return 'pass' as const;
        };
        const dead = Promise.withResolvers<void>();
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
        // Its lease is the dead process's for some more seconds, which the rows above wait for.
        if ((await show(world, issued)).status === 'temporary')
          await setTime(world, issued.id, 'lease_until', Date.now());
        await expectWhole(library, [issued], bytes, true);
      } finally {
        await library.close();
        await proxy.close();
      }
    });
  }
});
