import type { Attack, AttackTarget } from './attack.ts';
import { batch, flood, importPath, makeProfile, ndjson, read } from './requests.ts';

/** The widest window, which contains all times that the service accepts. */
const WINDOW = { from: '1970-01-01', to: '9999-12-31' };

const WIDE = { calls: 50, posts: 36_500 };

/** Sends batches that each request the best times of the widest window many times. */
export const wideWindows: Attack = {
  name: 'wide-windows',
  about: `a batch of ${WIDE.calls} × best_times from 1970 to 9999 over ${WIDE.posts} posts, repeatedly`,
  async prepare(target) {
    const [attacker] = target.attackers;
    await fillPosts(target, WIDE.posts);
    const inputs = Array.from({ length: WIDE.calls }, () => ({ workspace: attacker.workspace, ...WINDOW }));
    return (signal) => flood(1, signal, () => batch(target, attacker, 'analytics.bestTimes', inputs));
  },
};

const PARALLEL = { requests: 10, posts: 300_000 };

/** Requests the best times of many posts concurrently. */
export const parallelWindows: Attack = {
  name: 'parallel-windows',
  about: `${PARALLEL.requests} concurrent requests of best_times over ${PARALLEL.posts} posts, repeatedly`,
  async prepare(target) {
    const [attacker] = target.attackers;
    await fillPosts(target, PARALLEL.posts);
    const path = `/analytics/best_times?workspace=${attacker.workspace}&from=${WINDOW.from}&to=${WINDOW.to}`;
    return (signal) => flood(PARALLEL.requests, signal, () => read(target, attacker, path));
  },
};

/** Number of posts in one request. */
const PART = 20_000;

/** Time spans in milliseconds. The widest is tried first, because the service may refuse times far from today. */
const SPANS = [
  [Date.UTC(1970, 0, 1), Date.UTC(9999, 11, 31)],
  [Date.UTC(2000, 0, 2), Date.now()],
] as const;

/** Fills a profile of the first attacker with posts, spread evenly over the widest accepted span. */
async function fillPosts(target: AttackTarget, count: number): Promise<void> {
  const [attacker] = target.attackers;
  const profile = await makeProfile(target, attacker);
  for (const [first, last] of SPANS) {
    const linesOf = (from: number, to: number): string => {
      let lines = '';
      for (let nth = from; nth < to; nth++) {
        const published_at = new Date(first + Math.floor((nth / count) * (last - first))).toISOString();
        lines += `${JSON.stringify({ profile, external_id: String(nth), published_at, metrics: { likes: nth % 100 } })}\n`;
      }
      return lines;
    };
    // The latest time is sent first, because it is the one that may be refused.
    if ((await send(linesOf(count - 1, count))) === 0) continue;
    for (let from = 0; from < count - 1; from += PART) await send(linesOf(from, Math.min(from + PART, count - 1)));
    return;
  }
  throw new Error('No post was taken.');

  async function send(lines: string): Promise<number> {
    const response = await fetch(importPath(target, attacker), ndjson(attacker, lines));
    if (!response.ok) throw new Error(`An import answered ${response.status}.`);
    const { data } = (await response.json()) as { readonly data: { readonly created: number } };
    return data.created;
  }
}
