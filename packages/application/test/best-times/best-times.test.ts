import { afterEach, beforeEach, describe, expect, test } from 'bun:test';
import type { Profile, Workspace } from '@postshelf/domain';
import { bestTimes, createCalendar, createPost, readCalendar, slots } from '../../src/index.ts';
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

test('each post counts in its local hour, even within the minutes of a clock change', async () => {
  // At 00:01 on Sunday 7 November 2010 (02:31 UTC) the clocks went back to 23:01 on Saturday.
  await add('2010-11-07T02:30:59.999Z', 10);
  await add('2010-11-07T02:31:00.000Z', 30);
  const window = between('2010-11-01T00:00:00Z', '2010-11-30T00:00:00Z');
  const { heatmap } = await bestTimes(world, workspace, { profileId: profile.id, window, method: 'average' });
  expect(heatmap.posts).toBe(2);
  expect(heatmap.counts[SUNDAY]).toBe(1);
  expect(heatmap.counts[SATURDAY + 23]).toBe(1);
  // The ratios are r = 10 ÷ 20 and 30 ÷ 20.
  expect(heatmap.cells[SUNDAY]).toBe(91.67);
  expect(heatmap.cells[SATURDAY + 23]).toBe(108.33);
});

describe('the estimate', () => {
  const [HOUR, DAY] = [3_600_000, 86_400_000];
  const week = { count: 50, minGapMinutes: 0, excluded: new Set<number>() };
  const at = (instant: number, likes: number) => add(new Date(instant).toISOString(), likes);

  test('gives equal scores to a heatmap and to the slots learned from the same window', async () => {
    const now = world.clock.now();
    for (let nth = 0; nth < 60; nth++) await at(now - (5 + nth) * DAY + (nth % 9) * 2 * HOUR, 10 + 30 * (nth % 4));
    const window = { from: now, to: now + 2 * DAY };
    for (const profileId of [profile.id, null]) {
      const found = await slots(world, workspace, profileId, { ...week, window });
      const { heatmap, certainty } = await bestTimes(world, workspace, { profileId, window: found.learnt });
      expect(found.slots.length).toBe(48);
      expect(heatmap.posts).toBe(60);
      for (const { hourOfWeek: hour, ...slot } of found.slots) {
        expect([heatmap.cells[hour], heatmap.counts[hour]]).toEqual([slot.score, slot.posts]);
        expect([certainty?.low[hour], certainty?.high[hour]]).toEqual([slot.low, slot.high]);
      }
      expect(certainty?.evidence).toBe(found.estimate.evidence);
      // The second iteration covers all profiles, including this one, which has too few posts to compare.
      await add(new Date(now - 9 * DAY).toISOString(), 9, await addProfile(world, workspace));
    }
  });

  test('omits posts younger than 72 hours, and reports how many there are', async () => {
    const now = world.clock.now();
    for (const age of [1, 71.9, 72, 73, 100, 200, 300]) await at(now - age * HOUR, 5);
    await at(now + HOUR, 5);
    const window = { from: now - 200 * HOUR, to: now + DAY };
    const { heatmap, certainty } = await bestTimes(world, workspace, { profileId: null, window });
    // Four posts are old enough and within the window, which is too few to compare them.
    expect([heatmap.posts, certainty?.leftOut]).toEqual([0, 6]);
    expect(new Set(heatmap.cells)).toEqual(new Set([0]));
    const wider = await bestTimes(world, workspace, { profileId: null, window: { ...window, from: now - 300 * HOUR } });
    expect([wider.heatmap.posts, wider.certainty?.leftOut]).toEqual([5, 2]);
  });

  test('for a calendar uses only complete weeks, so that its suggestions are stable for a week', async () => {
    // Today is a Thursday. Posts must be at least three days old, so they are from Monday or earlier. Only complete
    // weeks count, so the last one ends on Saturday.
    world.clock.set(Date.UTC(2026, 0, 15, 12));
    const sunday = Date.UTC(2026, 0, 11);
    for (let nth = 0; nth < 40; nth++) await at(sunday - DAY * (1 + nth) + 20 * HOUR, nth % 2 === 0 ? 40 : 10);
    const { calendar } = await createCalendar(world, workspace, {
      profileId: profile.id,
      count: 5,
      minGapMinutes: 120,
      exclude: null,
    });
    const scores = async () => (await readCalendar(world, calendar)).slots.map(({ score }) => score);
    const before = await scores();
    await at(sunday + 20 * HOUR, 5000);
    expect(await scores()).toEqual(before);
    world.clock.set(Date.UTC(2026, 0, 21));
    expect(await scores()).not.toEqual(before);
  });
});
