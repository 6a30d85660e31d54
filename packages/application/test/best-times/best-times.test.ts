import { afterEach, beforeEach, expect, test } from 'bun:test';
import type { Profile, Workspace } from '@postshelf/domain';
import { bestTimes, createPost } from '../../src/index.ts';
import { databases } from '../support/databases.ts';
import { addProfile, bare } from '../support/posts.ts';
import { inhabitedWorld, type World } from '../support/world.ts';

afterEach(databases.closeAll);

let world: World;
let workspace: Workspace;
let profile: Profile;

beforeEach(async () => {
  const inhabited = await inhabitedWorld();
  world = inhabited;
  workspace = { ...inhabited.workspace, timezone: 'America/St_Johns' };
  profile = await addProfile(world, workspace);
});

const add = (published: string, likes: number, of = profile) => {
  const post = bare(of);
  return createPost(world, workspace, {
    ...post,
    publishedAt: Date.parse(published),
    metrics: { ...post.metrics, likes },
  });
};

const between = (from: string, to: string) => ({ from: Date.parse(from), to: Date.parse(to) });
const SUNDAY = 0;
const SATURDAY = 6 * 24;

test('each post counts in the local hour, also in the quarter of an hour in which the clocks were changed', async () => {
  // At 00:01 on Sunday 7 November 2010 (02:31 UTC) they went back to 23:01 on Saturday.
  await add('2010-11-07T02:30:59.999Z', 10);
  await add('2010-11-07T02:31:00.000Z', 30);
  const window = between('2010-11-01T00:00:00Z', '2010-11-30T00:00:00Z');
  const { heatmap } = await bestTimes(world, workspace, { profileId: profile.id, window });
  expect(heatmap.posts).toBe(2);
  expect(heatmap.counts[SUNDAY]).toBe(1);
  expect(heatmap.counts[SATURDAY + 23]).toBe(1);
  // r = 10 ÷ 20 and 30 ÷ 20.
  expect(heatmap.cells[SUNDAY]).toBe(91.67);
  expect(heatmap.cells[SATURDAY + 23]).toBe(108.33);
});

test('each profile of a workspace is measured against its own mean', async () => {
  const large = await addProfile(world, workspace);
  for (const [of, scale] of [
    [profile, 1],
    [large, 1000],
  ] as const) {
    for (const day of [8, 15, 22]) await add(`2025-12-${String(day).padStart(2, '0')}T12:00:00Z`, 3 * scale, of);
    for (const day of [9, 16, 23]) await add(`2025-12-${String(day).padStart(2, '0')}T12:00:00Z`, scale, of);
  }
  const window = between('2025-12-01T00:00:00Z', '2026-01-01T00:00:00Z');
  const { heatmap, best } = await bestTimes(world, workspace, { profileId: null, window });
  const [monday, tuesday] = [24 + 8, 48 + 8];
  // Six posts of r = 1.5 and six of r = 0.5.
  expect(heatmap.cells[monday]).toBe(Math.round((100 * (9 + 5) * 100) / 11) / 100);
  expect(heatmap.cells[tuesday]).toBe(Math.round((100 * (3 + 5) * 100) / 11) / 100);
  expect(best).toEqual([monday]);
});

test('a window includes both of its ends, to the millisecond', async () => {
  for (const published of ['2026-01-01T00:07:00.000Z', '2026-01-01T00:07:00.001Z', '2026-01-01T00:08:00.000Z'])
    await add(published, 1);
  const postsIn = async (from: string, to: string) =>
    (await bestTimes(world, workspace, { profileId: null, window: between(from, to) })).heatmap.posts;
  expect(await postsIn('2026-01-01T00:07:00.000Z', '2026-01-01T00:08:00.000Z')).toBe(3);
  expect(await postsIn('2026-01-01T00:07:00.001Z', '2026-01-01T00:07:59.999Z')).toBe(1);
  expect(await postsIn('2026-01-01T00:08:00.001Z', '2027-01-01T00:00:00.000Z')).toBe(0);
});
