import { afterAll, beforeAll, describe, expect, test } from 'bun:test';
import {
  makeDatabase,
  type RealPostgres,
  realPostgres,
  type TestDatabase,
  withClient,
} from '@postshelf/testing/servers/postgres';
import { gate, serveGated } from '../imports/support/answers.ts';
import { movie } from '../imports/support/files.ts';
import {
  accepted,
  eventually,
  expectActive,
  importUrl,
  leftovers,
  loopback,
  settled,
} from '../imports/support/imports.ts';
import { Origin } from '../imports/support/origin.ts';
import { type MediaItem, mediaItems } from '../support/shapes.ts';
import { startStopwatch } from '../support/until.ts';
import { World } from '../support/world.ts';
import { descriptors, sockets } from './support/held.ts';
import { expectKept, expectReads, makeFolder, upload } from './support/requests.ts';
import { DATABASE, expectNotReady, expectReady, expectUnavailable } from './support/unavailable.ts';

const server = await realPostgres('PostgreSQL that is locked or stopped');

/** The statement timeout, and the maximum time until a refusal, both in milliseconds. */
const STATEMENT_TIME = 1_500;
const TIMEOUT = 12_000;

describe.skipIf(!server)('while PostgreSQL is', () => {
  let database: TestDatabase;
  let world: World;
  let origin: Origin;
  let stored: MediaItem;

  beforeAll(async () => {
    database = await makeDatabase(server as RealPostgres);
    origin = await Origin.open();
    world = await World.open({
      ...loopback,
      DATABASE_URL: database.url,
      DATABASE_POOL_SIZE: '6',
      DATABASE_STATEMENT_TIMEOUT_MS: String(STATEMENT_TIME),
    });
    [stored] = mediaItems(await upload(world)) as [MediaItem];
  });
  afterAll(async () => {
    origin.close();
    await world.close();
    await database.remove();
  });

  /** Expects every request to be refused with a well-formed answer, and in time. */
  async function expectGone(): Promise<void> {
    using stopwatch = startStopwatch();
    const replies = await Promise.all([
      upload(world),
      makeFolder(world),
      world.call(`GET /media_contents/${stored.id}`),
      world.call('GET /workspaces/{workspace}/media_contents'),
      world.call(`DELETE /media_contents/${stored.id}`),
    ]);
    for (const reply of replies) expectUnavailable(reply, DATABASE);
    expect((await fetch(stored.link)).status).toBe(503);
    await expectNotReady(world);
    expect(stopwatch.elapsed()).toBeLessThan(TIMEOUT);
  }

  test('locked by another program, requests are refused in time', async () => {
    const held = descriptors(world.server.pid).length;
    await withClient(database.url, async (other) => {
      await other.query('begin');
      await other.query('lock table tokens, workspaces, folders, media, kysely_migration in access exclusive mode');
      await expectGone();
      await other.query('rollback');
    });
    await expectReady(world);
    await expectReads(world, stored, 'all');
    await expectKept(world, [stored, ...mediaItems(await upload(world))]);
    // The number of connections in the pool varies. More descriptors than the maximum of the pool plus a few files
    // would be a leak.
    expect(descriptors(world.server.pid).length).toBeLessThan(held + 6);
  });

  test.skipIf(!server?.server)(
    'stopped, nothing acknowledged is lost, and an import continues afterwards',
    async () => {
      const process = server?.server;
      if (!process) return;
      const video = movie(200_000);
      const door = gate();
      const page = origin.page('film.mp4', serveGated(video, 100_000, door));
      const importing = accepted(await importUrl(world, page.url));
      const kept = [stored, ...mediaItems(await upload(world))];
      await process.stop();
      try {
        await expectGone();
        await expectGone();
        expect(sockets(world.server.pid)).toBeLessThan(30);
      } finally {
        await process.start();
      }
      door.open();
      await expectReady(world);
      kept.push(...mediaItems(await upload(world)));
      await expectActive(world, await settled(world, importing), video);
      await expectKept(world, kept);
      await world.run(['gc']);

      await eventually('nothing is left over', async () => (await leftovers(world)).length === 0 || undefined);
    },
  );
});
