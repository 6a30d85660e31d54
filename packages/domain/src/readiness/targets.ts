import { withLinkRules } from './define-target.ts';
import { networkOf } from './network.ts';
import { facebook } from './networks/facebook.ts';
import { instagram } from './networks/instagram.ts';
import { LINK_RULES } from './networks/links.ts';
import { microblogs } from './networks/microblogs.ts';
import { pagesAndPins } from './networks/pages-and-pins.ts';
import { videoNetworks } from './networks/video-networks.ts';
import type { Rule, Target } from './rule.ts';

/** The targets in the order of responses. */
export const TARGETS: readonly Target[] = [
  ...instagram,
  ...facebook,
  ...videoNetworks,
  ...microblogs,
  ...pagesAndPins,
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
