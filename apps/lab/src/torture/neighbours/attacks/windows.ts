import type { Attack } from './attack.ts';
import { fillPosts } from './posts.ts';
import { batch, flood, read } from './requests.ts';

/** The widest window: all times that the service accepts. */
const WINDOW = { from: '1970-01-01', to: '9999-12-31' };

const WIDE = { calls: 50, posts: 36_500 };

/** Best times of the widest window, many in one batch. */
export const wideWindows: Attack = {
  name: 'wide-windows',
  about: `a batch of ${WIDE.calls} × best_times from 1970 to 9999 over ${WIDE.posts} posts, again and again`,
  async prepare(target) {
    const [attacker] = target.attackers;
    await fillPosts(target, WIDE.posts);
    const inputs = Array.from({ length: WIDE.calls }, () => ({ workspace: attacker.workspace, ...WINDOW }));
    return (signal) => flood(1, signal, () => batch(target, attacker, 'analytics.bestTimes', inputs));
  },
};

const PARALLEL = { requests: 10, posts: 300_000 };

/** Best times of many posts, requested concurrently. */
export const parallelWindows: Attack = {
  name: 'parallel-windows',
  about: `${PARALLEL.requests} × best_times at once over ${PARALLEL.posts} posts, again and again`,
  async prepare(target) {
    const [attacker] = target.attackers;
    await fillPosts(target, PARALLEL.posts);
    const path = `/analytics/best_times?workspace=${attacker.workspace}&from=${WINDOW.from}&to=${WINDOW.to}`;
    return (signal) => flood(PARALLEL.requests, signal, () => read(target, attacker, path));
  },
};
