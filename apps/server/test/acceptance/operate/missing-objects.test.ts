import { afterAll, beforeAll, expect, test } from 'bun:test';
import { rmSync } from 'node:fs';
import { join } from 'node:path';
import { jpeg } from '../support/fixtures.ts';
import { file } from '../support/multipart.ts';
import { type MediaItem, mediaItems } from '../support/shapes.ts';
import { onDisk } from '../support/storage.ts';
import { until } from '../support/until.ts';
import { World } from '../support/world.ts';
import { figures } from './support/figures.ts';
import { lineWith } from './support/log.ts';

const MISSING = 'the bytes of an active media item are missing';

let world: World;
let items: MediaItem[];

beforeAll(async () => {
  world = await World.openAlone(onDisk);
  // The first object check must end before anything is stored, so that there is nothing for it to check.
  await until(
    'the first check is over',
    async () => (await count('check_last_finished_timestamp_seconds')) !== undefined,
  );
  items = mediaItems(await world.upload([1, 2, 3].map((number) => file(`${number}.jpg`, jpeg()))));
});
afterAll(() => world.close());

const lose = ({ full_name }: MediaItem): void => rmSync(join(world.dataDir, 'media', full_name));
const count = async (name: string): Promise<number | undefined> =>
  (await figures(world)).get(`postshelf_media_${name}`);

test('a link to an active item whose object is missing is answered 404, logged and counted', async () => {
  const [item] = items as [MediaItem];
  expect(await count('missing_total')).toBe(0);
  lose(item);
  expect((await fetch(item.link)).status).toBe(404);
  expect((await fetch(item.link, { method: 'HEAD' })).status).toBe(404);
  expect(await count('missing_total')).toBe(2);
  await lineWith(world, { msg: MISSING, media: item.id });
});

test('the object check finds a missing object that was never requested, and resumes after a kill', async () => {
  expect(await count('check_last_checked')).toBe(0);
  const [, second] = items as [MediaItem, MediaItem];
  lose(second);
  await world.server.end('SIGKILL');
  // Puts the database into the state that a process leaves if it is killed during the check, after the first item. The
  // next check, which resumes this one, is due.
  const [first] = [...items].sort((a, b) => (a.id < b.id ? -1 : 1)) as [MediaItem];
  await world.database.change(
    `update object_checks set started_at = 1, cursor = '${first.id}', checked = 1, missing = 1, finished_at = 1`,
  );
  await world.restart();
  const line = await lineWith(world, { msg: 'job', kind: 'check', outcome: 'missing' });
  expect(line).toMatchObject({ checked: 3, missing: 2 });
  await lineWith(world, { msg: MISSING, media: second.id, problem: 'missing' });
  expect(await count('check_last_checked')).toBe(3);
  expect(await count('check_last_missing')).toBe(2);
  expect(await count('check_last_finished_timestamp_seconds')).toBeGreaterThan(Date.now() / 1000 - 60);
  expect(await count('check_started_timestamp_seconds')).toBeUndefined();
});

test('CHECK_OBJECTS_PER_SECOND=0 disables the object check', async () => {
  const off = await World.openAlone({ ...onDisk, CHECK_OBJECTS_PER_SECOND: '0' });
  try {
    expect([...(await figures(off)).keys()].filter((name) => name.startsWith('postshelf_media_check'))).toEqual([]);
  } finally {
    await off.close();
  }
});
