import { afterAll, afterEach, beforeAll, describe, expect, test } from 'bun:test';
import { gate, inTurn, serve, serveGated, status } from '../imports/support/answers.ts';
import { movie } from '../imports/support/files.ts';
import { accepted, expectActive, importUrl, leftovers, loopback, settled, stored } from '../imports/support/imports.ts';
import { Origin } from '../imports/support/origin.ts';
import { confirmed, issue, send, upload as sendWell } from '../presign/support/uploads.ts';
import { jpeg } from '../support/fixtures.ts';
import { file } from '../support/multipart.ts';
import { onDisk } from '../support/storage.ts';
import { World } from '../support/world.ts';
import { canSetClock, OtherClock } from './support/clock.ts';
import { expectReady } from './support/unavailable.ts';

const HOUR = 3600;
const DAY = 24 * HOUR;

describe.skipIf(!canSetClock('a clock that jumps under a running service'))('when the clock jumps', () => {
  let clock: OtherClock;
  let world: World;
  let origin: Origin;

  beforeAll(async () => {
    clock = new OtherClock();
    origin = await Origin.open();
    world = await World.openAlone({ ...loopback, ...onDisk, ...clock.settings });
  });
  afterEach(() => clock.jump(0));
  afterAll(async () => {
    origin.close();
    await world.close();
    clock.close();
  });

  const list = (token: string) => world.call('GET /workspaces/{workspace}/media_contents', { token });

  test('a token expires, and is valid again when the clock is set back', async () => {
    await world.token('hour', '{workspace}', ['--expires-in', '1h']);
    const statuses: number[] = [];
    for (const offset of [0, 2 * HOUR, 0, -DAY]) {
      clock.jump(offset);
      statuses.push((await list('hour')).status);
    }
    expect(statuses).toEqual([200, 401, 200, 200]);
  });

  test('an upload URL expires, but a file sent to it can be confirmed at any time', async () => {
    const issued = await issue(world, jpeg());
    clock.jump(2 * HOUR);
    expect((await send(issued, jpeg())).status).toBe(403);
    clock.jump(-2 * HOUR);
    await sendWell(issued, jpeg());
    clock.jump(2 * HOUR);
    await expectActive(world, await confirmed(world, issued), jpeg());
  });

  test.each([
    ['ahead', 2 * HOUR],
    ['back', -2 * HOUR],
  ])('%s during an import, the import still ends exactly once', async (_, offset) => {
    const video = movie(200_000 + offset);
    const door = gate();
    const page = origin.page('film.mp4', serveGated(video, 100_000, door));
    const item = accepted(await importUrl(world, page.url));
    clock.jump(offset);
    // Once this second import has ended, the worker has read its queue and claimed a job with the changed clock.
    const late = origin.page('late.jpg', inTurn(status(503), serve(jpeg())));
    await expectActive(world, await settled(world, accepted(await importUrl(world, late.url))), jpeg());
    door.open();
    await expectActive(world, await settled(world, item), video);
    expect(page.requests).toHaveLength(1);
  });

  test('days ahead or back, no active item is lost, not even to garbage collection', async () => {
    const item = await world.storeOne(file('beach.jpg', jpeg()));
    for (const offset of [3 * DAY, -3 * DAY]) {
      clock.jump(offset);
      const other = await world.storeOne(file('beach.jpg', jpeg()));
      const imported = stored(await importUrl(world, origin.page('beach.jpg', serve(jpeg())).url));
      const patched = await world.call(`PATCH /media_contents/${item.id}`, { json: { label: `${offset}` } });
      expect(patched.status).toBe(200);
      await world.run(['gc']);
      for (const each of [item, other, imported]) await expectActive(world, each, jpeg());
      await expectReady(world);
    }
    clock.jump(0);
    await world.run(['gc']);
    await world.run(['verify']);
    expect(await leftovers(world)).toEqual([]);
  });
});
