import type { Attack } from './attack.ts';
import { fillPosts } from './posts.ts';
import { flood, read } from './requests.ts';

const REQUESTS = 10;
const POSTS = 300_000;

/** Best times of many posts, asked for side by side. */
export const parallelWindows: Attack = {
  name: 'parallel-windows',
  about: `${REQUESTS} × best_times at once over ${POSTS} posts, again and again`,
  async prepare(target) {
    const [attacker] = target.attackers;
    await fillPosts(target, POSTS);
    const path = `/analytics/best_times?workspace=${attacker.workspace}&from=1970-01-01&to=9999-12-31`;
    return (signal) => flood(REQUESTS, signal, () => read(target, attacker, path));
  },
};
