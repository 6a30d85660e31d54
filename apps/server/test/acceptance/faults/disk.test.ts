import { afterAll, beforeAll, describe, expect, test } from 'bun:test';
import { canMount, Mounts } from '@postshelf/harness/mounts';
import { picture } from '../imports/support/files.ts';
import { leftovers } from '../imports/support/imports.ts';
import { presign } from '../presign/support/uploads.ts';
import { onSqlite } from '../support/database.ts';
import { filesBelow } from '../support/disk.ts';
import { jpeg } from '../support/fixtures.ts';
import { type MediaItem, mediaItems } from '../support/shapes.ts';
import { onDisk } from '../support/storage.ts';
import { until } from '../support/until.ts';
import { World } from '../support/world.ts';
import { canSetClock, OtherClock } from './support/clock.ts';
import { descriptorsIn, untilHeld } from './support/held.ts';
import { expectKept, expectReads, makeFolder, upload } from './support/requests.ts';
import { DATABASE, expectNotReady, expectReady, expectUnavailable, FULL, STORAGE } from './support/unavailable.ts';

const MB = 1024 * 1024;

const OUT_OF_SPACE = 'ENOSPC: no space left on device, write. Free space there, or inodes (df -h, df -i).';

const SKIPPED = 'a full and a read-only disk under a running service';

describe.skipIf(!canMount(SKIPPED) || !canSetClock(SKIPPED))('the disk of DATA_DIR', () => {
  let mounts: Mounts;
  let disk: string;
  let clock: OtherClock;
  let minutes = 0;
  let world: World;
  let stored: MediaItem;

  beforeAll(async () => {
    mounts = await Mounts.open();
    clock = new OtherClock(true);
    disk = mounts.disk('data', 24 * MB);
    // Without the reserve, the database can use all remaining space. Without the trash, deleting items frees space.
    const settings = { ...clock.settings, MIN_FREE_DISK_MB: '0', UNDO_DAYS: '0' };
    world = await World.open({ ...onSqlite, ...onDisk, ...settings }, [], {
      dataDir: disk,
      outside: mounts.outside(disk),
      program: mounts.program,
      servers: 1,
    });
    // This file reserves the space that later tests need, because deleted objects are purged only minutes later.
    mounts.run('sh', '-c', `head -c ${4 * MB} /dev/zero >${disk}/ballast`);
    stored = await world.storeOne({ name: 'files[]', filename: 'beach.jpg', value: jpeg() });
    for (const name of ['unused', 'unused too']) await world.token(name, '{workspace}');
  });
  afterAll(async () => {
    await world.server.end();
    await mounts.close();
    clock.close();
  });

  const files = () => filesBelow(mounts.outside(disk));
  /**
   * Waits until no file has a staged name, and returns the names of all files. Staged files are renamed only after the
   * answer.
   */
  const settledFiles = async () => {
    await until('no staged name is left', () => !files().some((path) => path.includes('.staging/')));
    return files();
  };
  const open = () => descriptorsIn(world.server.pid, disk);
  const passMinutes = () => {
    minutes += 3;
    clock.jump(minutes * 60);
  };
  /** Waits until deleted objects are purged, which happens one or two minutes later. */
  const untilDestroyed = async () => {
    passMinutes();
    await until('it is purged', async () => (await leftovers(world, [])).length === 0);
  };
  const untilClosed = (held: readonly string[]) => untilHeld(world.server.pid, disk, held);

  test('keeps acknowledged files when it is full, and no parts of files that do not fit', async () => {
    const [before, held] = [await settledFiles(), open()];
    expectUnavailable(await upload(world, picture(30 * MB)), FULL);
    expect(await settledFiles()).toEqual(before);
    await untilClosed(held);
    const kept: MediaItem[] = [];
    const bytes = picture(2 * MB);
    for (let reply = await upload(world, bytes); ; reply = await upload(world, bytes)) {
      if (reply.status !== 201) {
        expectUnavailable(reply, FULL);
        break;
      }
      kept.push(...mediaItems(reply));
    }
    expect(kept.length).toBeGreaterThan(5);
    expect(() => mounts.run('sh', '-c', `cat /dev/zero >${disk}/filler`)).toThrow(/No space left/);
    const full = await settledFiles();
    await Promise.all([
      upload(world).then((reply) => expectUnavailable(reply, FULL)),
      makeFolder(world).then((reply) => expectUnavailable(reply, DATABASE)),
      world.call(`DELETE /media_contents/${stored.id}`).then((reply) => expectUnavailable(reply, DATABASE)),
      presign(world, [{ name: 'beach.jpg', size: 10, mime: 'image/jpeg' }]).then((reply) =>
        expectUnavailable(reply, DATABASE),
      ),
      expectReads(world, stored, 'unused'),
      expectNotReady(world).then((reasons) => expect(reasons).toContain(`${disk}/media: ${OUT_OF_SPACE}`)),
    ]);
    expect(await settledFiles()).toEqual(full);
    await untilClosed(held);
    const warnings = () => world.server.log().split('deleted objects keep their space').length - 1;
    passMinutes();
    await until('the log warns', () => warnings() > 0);
    passMinutes();
    // A second warning would appear within this time, but must not.
    await Bun.sleep(300);
    mounts.run('rm', `${disk}/filler`, `${disk}/ballast`);
    await expectReady(world);
    const [small] = mediaItems(await upload(world));
    expect((await makeFolder(world)).status).toBe(201);
    await expectKept(world, kept, bytes);
    await expectKept(world, small ? [stored, small] : []);
    for (const { id } of kept) expect((await world.call(`DELETE /media_contents/${id}`)).status).toBe(204);
    await untilDestroyed();
    await untilClosed(held);
    await until('the reason is logged', () => world.server.log().includes('deleted objects can be destroyed again'));
    expect(warnings()).toBe(1);
  });

  test('gets no files while media are read-only, and deleted objects are removed from it afterwards', async () => {
    const media = `${disk}/media`;
    const removed = await world.storeOne({ name: 'files[]', filename: 'beach.jpg', value: jpeg() });
    const [before, held] = [await settledFiles(), open()];
    mounts.run('mount', '--bind', media, media);
    mounts.run('mount', '-o', 'remount,bind,ro', media);
    expectUnavailable(await upload(world), STORAGE);
    await expectNotReady(world);
    await expectReads(world, stored, 'unused too');
    expect((await makeFolder(world)).status).toBe(201);
    // The item's row is deleted before its object. So the link stops working, although the object can't be deleted yet.
    expect((await world.call(`DELETE /media_contents/${removed.id}`)).status).toBe(204);
    expect((await fetch(removed.link)).status).toBe(404);
    expect(await settledFiles()).toEqual(before);
    await untilClosed(held);
    mounts.run('umount', media);
    await expectReady(world);
    await expectKept(world, [stored, ...mediaItems(await upload(world))]);
    await untilDestroyed();
    await untilClosed(held);
  });
});
