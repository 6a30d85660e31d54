import { expect } from 'bun:test';
import { createHash } from 'node:crypto';
import { testsThatNeed } from '@postshelf/testing/programs';
import { figures } from '../operate/support/figures.ts';
import { linesOf, lineWith } from '../operate/support/log.ts';
import { jpeg, mp4 } from '../support/fixtures.ts';
import { file } from '../support/multipart.ts';
import { at } from '../support/reply.ts';
import { spawnServer } from '../support/server.ts';
import type { MediaItem } from '../support/shapes.ts';
import { until } from '../support/until.ts';
import { World } from '../support/world.ts';

const { afterAll, beforeAll, test } = testsThatNeed(
  ['ffmpeg'],
  'inspecting files again, including a video with its cover',
);

const IMAGES = 30;
/** The number of files: the images, the video and its cover. */
const ALL = IMAGES + 2;

let world: World;
let images: MediaItem[];
let video: MediaItem;

beforeAll(async () => {
  world = await World.openAlone();
  images = [];
  while (images.length < IMAGES) {
    images.push(...(await world.store(...Array.from({ length: 10 }, (_, index) => file(`${index}.jpg`, jpeg())))));
  }
  video = await world.storeVideo(file('film.mp4', mp4()));
});
afterAll(() => world.close());

/** Removes the details of all files, as if an older release without details had stored them. */
const forget = (): Promise<number> => world.database.change('update media set details = null');
const countKnown = (): Promise<number> =>
  world.database.change('update media set details = details where details is not null');
const detailsOf = async ({ id }: MediaItem) =>
  at((await world.call(`GET /media_contents/${id}?include=details`)).json, 'data', 'details');
const OUTCOMES = ['sound', 'damaged', 'missing', 'unreadable'] as const;
const inspected = async (): Promise<ReadonlyMap<string, number | undefined>> => {
  const found = await figures(world);
  const count = (outcome: string) => found.get(`postshelf_media_inspected_total{outcome="${outcome}"}`);
  return new Map<string, number | undefined>([
    ['left', found.get('postshelf_media_uninspected')],
    ...OUTCOMES.map((outcome) => [outcome, count(outcome)] as const),
  ]);
};

test('a service inspects files that an older release stored, and reports damaged and missing files', async () => {
  await world.server.end('SIGKILL');
  await forget();
  const [straight, damaged, missing] = images as [MediaItem, MediaItem, MediaItem];
  await world.database.change(`update media set sha256 = null where id = '${straight.id}'`);
  await world.database.change(`update media set size = size + 1 where id = '${damaged.id}'`);
  await world.database.change(`update media set full_name = full_name || '.gone' where id = '${missing.id}'`);
  await world.restart();
  await until('all files are inspected', async () => (await countKnown()) === ALL, 60_000);
  const sha256 = createHash('sha256').update(jpeg()).digest('hex');
  expect(await detailsOf(straight)).toMatchObject({ sha256, image: { frames: 1 }, video: null });
  expect(await detailsOf(video)).toMatchObject({ image: null, video: { codec: 'avc' } });
  for (const [item, outcome] of [
    [damaged, 'damaged'],
    [missing, 'missing'],
  ] as const) {
    expect(await detailsOf(item)).toMatchObject({ sha256, image: { frames: null, has_alpha: null } });
    await lineWith(world, { media: item.id, outcome });
    expect(linesOf(world).filter(({ media, outcome: logged }) => media === item.id && logged === outcome)).toHaveLength(
      1,
    );
  }
  const { json } = await world.call(`GET /media_contents/${straight.id}`);
  expect(at(json, 'data')).toEqual(straight);
  // The server counts a file only when it knows that the write is durable. The write is visible shortly before that.
  await until('each is counted', async () => {
    const found = await inspected();
    return OUTCOMES.reduce((sum, outcome) => sum + (found.get(outcome) ?? 0), 0) === ALL;
  });
  expect(Object.fromEntries(await inspected())).toEqual({
    left: 0,
    sound: ALL - 2,
    damaged: 1,
    missing: 1,
    unreadable: 0,
  });
});

test('media inspect inspects files while a server runs, and continues after a kill', async () => {
  await forget();
  const killed = spawnServer(world.server.settings, ['media', 'inspect']);
  await until('some files are inspected', async () => (await countKnown()) > 0, 60_000);
  killed.child.kill('SIGKILL');
  await killed.exited;
  killed.forget();
  const before = await countKnown();
  const counts = await world.command(['media', 'inspect']);
  // The server may inspect some of the files in the meantime.
  expect(counts).toMatchObject({ unreadable: 0, left: 0 });
  expect(counts.inspected).toBeLessThanOrEqual(ALL - before);
  expect(await countKnown()).toBe(ALL);
  expect(await world.run(['media', 'inspect'])).toBe(
    'Inspected 0 files: 0 damaged, 0 missing, 0 unreadable.\n0 are left.\n',
  );
});
