import type { Attack } from './attack.ts';
import { fillPosts } from './posts.ts';
import { batch, flood } from './requests.ts';

const CALLS = 50;
const POSTS = 36_500;

/** Best times over all the time there is. */
export const wideWindows: Attack = {
  name: 'wide-windows',
  about: `a batch of ${CALLS} × best_times from 1970 to 9999 over ${POSTS} posts, again and again`,
  async prepare(target) {
    const [attacker] = target.attackers;
    await fillPosts(target, POSTS);
    const window = { workspace: attacker.workspace, from: '1970-01-01', to: '9999-12-31' };
    const inputs = Array.from({ length: CALLS }, () => window);
    return (signal) => flood(1, signal, () => batch(target, attacker, 'analytics.bestTimes', inputs));
  },
};
