import { afterAll, beforeAll, describe, expect, test } from 'bun:test';
import { statfsSync } from 'node:fs';
import { canMount, Mounts } from '@postshelf/harness/mounts';
import { serve } from '../imports/support/answers.ts';
import { picture } from '../imports/support/files.ts';
import { importUrl, loopback } from '../imports/support/imports.ts';
import { Origin } from '../imports/support/origin.ts';
import { importBody, line } from '../posts/support/imports.ts';
import { createPost, makeProfile, posts } from '../posts/support/posts.ts';
import { onSqlite } from '../support/database.ts';
import { idsOf, mediaItems } from '../support/shapes.ts';
import { onDisk } from '../support/storage.ts';
import { until } from '../support/until.ts';
import { World } from '../support/world.ts';
import { upload } from './support/requests.ts';

const MB = 1024 * 1024;
const RESERVE = 40;

/** Megabytes of the reserve that admitted transactions and their write-ahead log may use up. */
const SLACK = 8;

describe.skipIf(!canMount('the reserve of a small disk'))('the disk space reserve', () => {
  let mounts: Mounts;
  let disk: string;
  let world: World;
  let origin: Origin;

  beforeAll(async () => {
    mounts = await Mounts.open();
    disk = mounts.disk('data', 120 * MB);
    world = await World.open({ ...onSqlite, ...onDisk, ...loopback, MIN_FREE_DISK_MB: String(RESERVE) }, [], {
      dataDir: disk,
      outside: mounts.outside(disk),
      program: mounts.program,
      servers: 1,
    });
    world.ids.profile = await makeProfile(world);
    origin = await Origin.open();
  });
  afterAll(async () => {
    origin.close();
    await world.server.end();
    await mounts.close();
  });

  /** The free megabytes of the disk. */
  const free = (): number => {
    const { bavail, bsize } = statfsSync(mounts.outside(disk));
    return (bavail * bsize) / MB;
  };

  test('is not used up by an import of posts, which can continue once deletions have freed space', async () => {
    const text = 'x'.repeat(60_000);
    const some = (from: number) =>
      Array.from({ length: 100 }, (_, nth) => line(world, { external_id: `${from + nth}`, text })).join('\n');
    let lines = 0;
    let refused = await importBody(world, some(lines));
    for (; refused.status === 200 && lines < 5000; refused = await importBody(world, some(lines))) lines += 100;
    expect(refused.status).toBe(507);
    expect(refused.json).toEqual({ message: 'The disk is low on space and cannot accept anything new.' });
    expect(lines).toBeGreaterThan(200);
    expect(free()).toBeGreaterThan(RESERVE - SLACK);
    expect((await createPost(world, {})).status).toBe(507);
    // Small changes such as a new folder are still accepted for some time, and deletions always are.
    await world.folder('Small');
    for (;;) {
      const ids = idsOf(await world.call(`GET ${posts}?per_page=100`));
      if (ids.length === 0) break;
      const deleted = await Promise.all(ids.map((id) => world.call(`DELETE /posts/${id}`)));
      for (const { status } of deleted) expect(status).toBe(204);
    }
    // The freed space is returned to the disk within a few seconds.
    await until('posts are accepted again', async () => (await createPost(world)).status === 201, 60_000);
    expect((await upload(world)).status).toBe(201);
  });

  test('is not used up by thirty concurrent imports of images', async () => {
    const bytes = picture(5 * MB);
    const replies = await Promise.all(
      Array.from({ length: 30 }, (_, nth) => importUrl(world, origin.page(`${nth}.jpg`, serve(bytes)).url)),
    );
    expect(free()).toBeGreaterThan(RESERVE - SLACK);
    const stored = replies.filter(({ status }) => status === 201).flatMap(mediaItems);
    expect(stored.length).toBeGreaterThan(3);
    expect(stored.length).toBeLessThan(30);
    for (const { id } of stored) expect((await world.call(`DELETE /media_contents/${id}`)).status).toBe(204);
    const low = 'The storage is low on space and cannot accept more files.';
    const large = picture(3 * RESERVE * MB);
    expect(await upload(world, large)).toMatchObject({
      status: 507,
      json: { message: `${low} Empty the trash to make room.` },
    });
    expect((await world.call('DELETE /workspaces/{workspace}/trash')).status).toBe(202);
    expect(await upload(world, large)).toMatchObject({ status: 507, json: { message: low } });
  });
});
