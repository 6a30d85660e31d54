import { afterAll, beforeAll, expect, test } from 'bun:test';
import { Random } from '@postshelf/harness';
import { counts, importAll } from '../posts/support/imports.ts';
import { makeProfile } from '../posts/support/posts.ts';
import { sized } from '../support/long.ts';
import { arrayAt, at, stringAt } from '../support/reply.ts';
import { World } from '../support/world.ts';
import { bestTimes, days } from './support/best-times.ts';

// `npm run bench -- best-times` measures how good the suggestions are.
const HOUR = 3_600_000;
const ZONES = ['UTC', 'Europe/Berlin', 'America/St_Johns', 'Asia/Kathmandu', 'Australia/Lord_Howe', 'Pacific/Chatham'];

let world: World;

beforeAll(async () => {
  world = await World.open();
  await world.operator();
});

afterAll(() => world.close());

/** Makes up to three profiles, some perhaps with too few posts, with posts of the last 400 days and planned ones. */
async function fill(random: Random): Promise<string[]> {
  const profiles: string[] = [];
  const lines: object[] = [];
  for (let nth = random.whole(1, 3); nth > 0; nth--) {
    const profile = await makeProfile(world, `Profile ${nth}`);
    profiles.push(profile);
    const [posts, favourite] = [random.pick([0, 3, 5, 30, 200]), random.below(24)];
    for (let post = 0; post < posts; post++) {
      const instant = Date.now() + random.between(-400 * 24, 60) * HOUR;
      const factor = new Date(instant).getUTCHours() === favourite ? 3 : 1;
      const likes = random.percent(20) ? 0 : Math.round(50 * factor * Math.exp(random.normal()));
      lines.push({
        profile,
        external_id: `${post}`,
        published_at: new Date(instant).toISOString(),
        metrics: random.percent(95) ? { likes, saves: random.below(5) } : {},
      });
    }
  }
  if (lines.length > 0) {
    const body = lines.map((line) => JSON.stringify(line)).join('\n');
    expect(counts(await importAll(world, body))).toMatchObject({ created: lines.length });
  }
  return profiles;
}

test('every suggested slot has the score, interval and evidence of the heatmap of the same window', async () => {
  let compared = 0;
  for (let seed = 1; seed <= sized(8, 100); seed++) {
    const random = new Random(seed);
    const json = { timezone: random.pick(ZONES) };
    expect((await world.call('PATCH /workspaces/{workspace}', { json, token: 'operator' })).status).toBe(200);
    const profiles = await fill(random);
    const isOfWorkspace = random.percent(30);
    const scope: Readonly<Record<string, string>> = isOfWorkspace
      ? { workspace: `${world.ids.workspace}` }
      : { profile: random.pick(profiles) };
    const query = new URLSearchParams({ ...scope, count: '50', min_gap_minutes: '0' });
    const reply = await world.call(`GET /analytics/best_times/slots?${query}`);
    expect({ seed, status: reply.status }).toEqual({ seed, status: 200 });
    const meta = at(reply.json, 'meta');
    const window = { from: stringAt(meta, 'learned_from'), to: stringAt(meta, 'learned_to') };
    expect(Date.parse(window.to) - Date.parse(window.from)).toBe(365 * 24 * HOUR);
    const heatmap = await bestTimes(world, { ...scope, ...window });
    expect([seed, at(meta, 'posts'), at(meta, 'evidence')]).toEqual([seed, heatmap.posts, heatmap.certainty?.evidence]);
    const slots = arrayAt(reply.json, 'data');
    expect(slots).toHaveLength(50);
    for (const slot of slots) {
      const day = days.indexOf(stringAt(slot, 'day') as (typeof days)[number]);
      const hour = Number(at(slot, 'hour'));
      const cell = (week: readonly (readonly number[])[] | undefined) => week?.[day]?.[hour];
      expect({
        seed,
        day,
        hour,
        score: at(slot, 'score'),
        low: at(slot, 'low'),
        high: at(slot, 'high'),
        posts: at(slot, 'posts'),
      }).toEqual({
        ...{ seed, day, hour, score: cell(heatmap.heatmap), posts: cell(heatmap.counts) },
        ...{ low: cell(heatmap.certainty?.low), high: cell(heatmap.certainty?.high) },
      });
      compared += 1;
    }
    const scores = slots.map((slot) => Number(at(slot, 'score')));
    expect(scores).toEqual(scores.toSorted((one, other) => other - one));
  }
  expect(compared).toBe(50 * sized(8, 100));
});
