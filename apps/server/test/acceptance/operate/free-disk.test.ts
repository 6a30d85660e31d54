import { afterAll, beforeAll, expect, test } from 'bun:test';
import { serve } from '../imports/support/answers.ts';
import { accepted, importUrl, loopback, settled, show } from '../imports/support/imports.ts';
import { Origin } from '../imports/support/origin.ts';
import { issue, presign, send } from '../presign/support/uploads.ts';
import { jpeg, mp4 } from '../support/fixtures.ts';
import { file } from '../support/multipart.ts';
import { expectErrorShape, type Reply } from '../support/reply.ts';
import { startServer } from '../support/server.ts';
import type { MediaItem } from '../support/shapes.ts';
import { onDisk } from '../support/storage.ts';
import { World } from '../support/world.ts';
import { lineWith } from './support/log.ts';

/** More megabytes than any disk has. A service that must keep this much free treats the disk as full. */
const MORE_THAN_THERE_IS = '1000000000';

let world: World;
let origin: Origin;
let stored: MediaItem;

/** Restarts the server, which then has to keep the given number of megabytes free. */
async function keepFree(megabytes: string): Promise<void> {
  await world.server.end();
  world.server = await startServer(world.dataDir, { ...world.server.settings, MIN_FREE_DISK_MB: megabytes });
}

beforeAll(async () => {
  world = await World.openAlone({ ...loopback, ...onDisk, MIN_FREE_DISK_MB: '1' });
  origin = await Origin.open();
  stored = await world.storeOne(file('beach.jpg', jpeg()));
});
afterAll(async () => {
  origin.close();
  await world.close();
});

function expectLow(reply: Reply | undefined): void {
  expect(reply?.status).toBe(507);
  if (reply) expectErrorShape(reply);
  expect(reply?.json).toEqual({ message: 'The storage is low on space and cannot accept more files.' });
}

test('a nearly full disk refuses files with 507, while everything else works', async () => {
  const issued = await issue(world, jpeg());
  await keepFree(MORE_THAN_THERE_IS);
  const before = await world.files();
  expectLow(await world.upload([file('beach.jpg', jpeg()), file('film.mp4', mp4())]));
  expectLow(await presign(world, [{ name: 'beach.jpg', size: 10, mime: 'image/jpeg' }]));
  expectLow(await send(issued, jpeg()));
  expectLow(await importUrl(world, origin.page('beach.jpg', serve(jpeg())).url));
  await world.untilFilesAre(before);
  expect((await world.call('GET /ready', { token: null })).status).toBe(200);
  expect((await fetch(stored.link)).status).toBe(200);
  await world.folder('Still here');
  await lineWith(world, {
    level: 'warn',
    msg: 'the disk is low on space (MIN_FREE_DISK_MB): uploads are refused, and jobs that store files wait',
  });
  const overTrpc = await world.call('POST /trpc/media.presign', {
    json: { workspace: '{workspace}', files: [{ name: 'beach.jpg', size: 10, mime: 'image/jpeg' }] },
  });
  expect(overTrpc.status).toBe(507);
  expect(overTrpc.json).toMatchObject({ error: { data: { httpStatus: 507 } } });
});

test('imports wait for free disk space, without further requests to their origin', async () => {
  await keepFree(MORE_THAN_THERE_IS);
  const bytes = mp4();
  const page = origin.page('film.mp4', serve(bytes));
  const item = accepted(await importUrl(world, page.url));
  await lineWith(world, { msg: 'job', kind: 'import', media: item.id, outcome: 'fault' });
  expect((await show(world, item.id)).status).toBe('processing');
  expect(page.requests).toHaveLength(1);
  await keepFree('1');
  expect(await settled(world, item)).toMatchObject({ status: 'active', size: bytes.length });
  expect(page.requests).toHaveLength(2);
});
