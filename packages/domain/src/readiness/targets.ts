import { withLinkRules } from './define-target.ts';
import { networkOf } from './network.ts';
import { bluesky } from './networks/bluesky.ts';
import { facebook } from './networks/facebook.ts';
import { googleBusiness } from './networks/google-business.ts';
import { instagram } from './networks/instagram.ts';
import { linkedin } from './networks/linkedin.ts';
import { LINK_RULES } from './networks/links.ts';
import { mastodon } from './networks/mastodon.ts';
import { pinterest } from './networks/pinterest.ts';
import { threads } from './networks/threads.ts';
import { tiktok } from './networks/tiktok.ts';
import { x } from './networks/x.ts';
import { youtube } from './networks/youtube.ts';
import type { Rule, Target } from './rule.ts';

/** The targets in the order of responses. */
export const TARGETS: readonly Target[] = [
  ...instagram,
  ...facebook,
  ...tiktok,
  ...youtube,
  ...threads,
  ...x,
  ...bluesky,
  ...mastodon,
  ...linkedin,
  ...pinterest,
  ...googleBusiness,
].map((target) => withLinkRules(target, LINK_RULES[target.target.split('.')[0] ?? ''] ?? []));

const BY_NAME: ReadonlyMap<string, Target> = new Map(TARGETS.map((target) => [target.target, target]));
const RULES: ReadonlyMap<string, Rule> = new Map(
  TARGETS.flatMap(({ rules }) => rules).map((rule) => [rule.id, rule] as const),
);

export const TARGET_NAMES: readonly string[] = [...BY_NAME.keys()];

export const findTarget = (name: string): Target | undefined => BY_NAME.get(name);

export const findRule = (id: string): Rule | undefined => RULES.get(id);

/** Returns the targets of a network; empty if it has no rules. */
export function targetsOfNetwork(network: string): readonly Target[] {
  const known = networkOf(network);
  return known === null ? [] : TARGETS.filter(({ target }) => target.startsWith(`${known}.`));
}
