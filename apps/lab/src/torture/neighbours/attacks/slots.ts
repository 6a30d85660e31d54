import type { Entry } from '@postshelf/harness';
import { textAt } from '../../support/json.ts';
import type { Attack, AttackTarget } from './attack.ts';
import { flood, importPath, makeProfile, ndjson, prepareBy, read } from './requests.ts';

const LANES = 10;
const DAY = 24 * 60 * 60 * 1000;
/** Numbers of past and planned posts. Both exceed the numbers that the service takes into account. */
const POSTS = { past: 20_000, planned: 55_000 };

const DAYS = ['Sun', 'Mon', 'Tue', 'Wed', 'Thu', 'Fri', 'Sat'];

/**
 * A query that requires the widest search: only one hour of the week is allowed, and the gap between suggested times is
 * as long as possible.
 */
const WIDEST = {
  count: 50,
  min_gap_minutes: 60 * 24 * 60,
  exclude: `${DAYS.slice(1).join(',')},Sun 1-23`,
};

async function fill(target: AttackTarget, attacker: Entry): Promise<void> {
  const profile = await makeProfile(target, attacker);
  const lines = (count: number, timeOf: (nth: number) => number, prefix: string): string =>
    Array.from({ length: count }, (_, nth) =>
      JSON.stringify({
        ...{ profile, external_id: `${prefix}${nth}`, published_at: new Date(timeOf(nth)).toISOString() },
        // No hour stands out, which makes the search more costly.
        metrics: { likes: 1 },
      }),
    ).join('\n');
  const now = Date.now();
  const past = lines(POSTS.past, (nth) => now - 4 * DAY - (nth / POSTS.past) * 360 * DAY, 'past');
  const planned = lines(POSTS.planned, (nth) => now + (nth / POSTS.planned) * 60 * DAY, 'planned');
  for (const body of [past, planned]) await fetch(importPath(target, attacker), ndjson(attacker, body));
}

/** Requests suggested times and feeds that are as costly as possible. */
export const slots: Attack = {
  name: 'slots',
  about: `${LANES} concurrent requests of slots for 60 days or of a calendar feed, with one hour a week, the widest gap and ${POSTS.planned} planned posts, repeatedly`,
  async prepare(target) {
    const { attackers } = target;
    for (const attacker of attackers) await fill(target, attacker);
    const feeds = await Promise.all(attackers.map((attacker) => prepareBy(target, attacker, '/calendars', WIDEST)));
    const urls = feeds.map((feed) => new URL(textAt(feed, 'data', 'url')));
    const to = new Date(Date.now() + 59 * DAY).toISOString().slice(0, 10);
    const wishes = new URLSearchParams({ ...WIDEST, min_gap_minutes: String(WIDEST.min_gap_minutes), count: '50', to });
    return (signal) =>
      flood(LANES, signal, (lane) => {
        const attacker = attackers[lane % 2 === 0 ? 0 : 1];
        const url = urls[lane % 2];
        if (lane < 2 && url) return { url: `${target.root}${url.pathname}${url.search}`, init: {} };
        return read(target, attacker, `/analytics/best_times/slots?workspace=${attacker.workspace}&${wishes}`);
      });
  },
};
