import { test as bunTest, expect } from 'bun:test';
import { chmodSync, rmSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { testsThatNeed } from '@postshelf/testing/programs';
import { onDisk } from '../support/storage.ts';
import { until } from '../support/until.ts';
import { World } from '../support/world.ts';
import { canSetClock, OtherClock } from './support/clock.ts';
import { upload } from './support/requests.ts';
import { programWithoutPrivileges } from './support/rights.ts';
import { expectNotReady, expectReady } from './support/unavailable.ts';

const { afterAll, beforeAll, test } = testsThatNeed(['setpriv'], 'media that may not be deleted');

let clock: OtherClock;
let world: World;
let media: string;

beforeAll(async () => {
  clock = new OtherClock(true);
  world = await World.open({ ...onDisk, ...clock.settings }, [], { program: programWithoutPrivileges, servers: 1 });
  media = join(world.dataDir, 'media');
});
afterAll(async () => {
  await world.close();
  clock.close();
});

/** Makes a folder read-only while a function runs. */
async function withoutRight(folder: string, work: () => Promise<void>): Promise<void> {
  chmodSync(folder, 0o500);
  try {
    await work();
  } finally {
    chmodSync(folder, 0o700);
  }
}

test('/ready returns 503 and the log gives the reason while the media folder is read-only', async () => {
  await withoutRight(media, async () => {
    await expectNotReady(world);
    await until('the reason is logged', () => world.server.log().includes(`Files cannot be deleted in ${media} `));
  });
  await expectReady(world);
});

(canSetClock('a folder that becomes read-only') ? test : bunTest.skip)(
  '/ready returns 503 after an object could not be purged, until its folder is writable',
  async () => {
    const item = (await upload(world)).json as { data: { id: string; full_name: string }[] };
    const [{ id, full_name: name } = { id: '', full_name: '' }] = item.data;
    const folder = dirname(join(media, name));
    await expectReady(world);
    await withoutRight(folder, async () => {
      for (const path of [`/media_contents/${id}`, `/trash/${id}`])
        expect((await world.call(`DELETE ${path}`)).status).toBe(204);
      // The object is purged minutes later.
      clock.jump(5 * 60);
      const isReported = async () => {
        const { status } = await world.call('GET /ready', { token: null });
        return status === 503 && world.server.log().includes(`Files cannot be deleted in ${folder} `);
      };
      // A check that was running when the clock jumped may delay the report by another minute.
      await until('/ready and the log say so', isReported, 100_000);
    });
    await expectReady(world);
    rmSync(folder, { recursive: true });
  },
);

test('a start with a read-only media folder logs the reason, and continues', async () => {
  await world.server.end();
  await withoutRight(media, async () => {
    await world.restart();
    await until('the reason is logged', () => world.server.log().includes(`Files cannot be deleted in ${media} `));
    await expectNotReady(world);
  });
  await expectReady(world);
});
