import { head, stallAfter } from '@postshelf/harness/answers';
import type { Answer } from '@postshelf/harness/origin';
import type { Attack } from './attack.ts';
import { flood, importPath, makeProfile, ndjson, prepareBy } from './requests.ts';

/** Maximum number of webhooks of a workspace. */
const HOOKS = 50;
const BATCH = 10;
const LINES = 100;
/** Milliseconds between two bytes. */
const PAUSE = 500;

const ANSWERS: readonly Answer[] = [
  stallAfter(),
  async ({ send }) => {
    await send(head());
    while (await send('x'.repeat(65_536)));
  },
  async ({ send }) => {
    for (const byte of head({ length: 1000 })) {
      if (!(await send(byte))) return;
      await Bun.sleep(PAUSE);
    }
  },
];

/** Creates webhooks whose receivers hold deliveries as long as possible. Every post causes a thousand deliveries. */
export const webhooks: Attack = {
  name: 'webhooks',
  about: `${HOOKS} webhooks whose receivers never answer, answer endlessly or trickle, while their owner imports posts`,
  async prepare(target) {
    const [attacker] = target.attackers;
    const profile = await makeProfile(target, attacker);
    const pages = ANSWERS.map((answer) => target.origin.page('hook', answer));
    const hook = (nth: number) =>
      prepareBy(target, attacker, '/webhooks', { url: `${pages[nth % pages.length]?.url}?${nth}` });
    for (let made = 0; made < HOOKS; made += BATCH)
      await Promise.all(Array.from({ length: BATCH }, (_, nth) => hook(made + nth)));
    let made = 0;
    const body = (): string => {
      const ids = Array.from({ length: LINES }, () => `${made++}`.padEnd(200, 'x'));
      const post = { profile, published_at: '2026-01-01T00:00:00Z' };
      return ids.map((external_id) => JSON.stringify({ ...post, external_id })).join('\n');
    };
    return async (signal) => {
      const posted = await flood(1, signal, () => ({
        url: importPath(target, attacker),
        init: ndjson(attacker, body()),
      }));
      const tries = pages.map(({ requests, open }) => `${requests.length} (${open} open)`).join(', ');
      return [...posted, { what: 'deliveries tried: silent, endless, dripping', value: tries, isKept: null }];
    };
  },
};
