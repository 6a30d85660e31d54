import { withLinkRules } from './define-target.ts';
import { facebook } from './networks/facebook.ts';
import { instagram } from './networks/instagram.ts';
import { LINK_RULES } from './networks/links.ts';
import { microblogs } from './networks/microblogs.ts';
import { pagesAndPins } from './networks/pages-and-pins.ts';
import { videoNetworks } from './networks/video-networks.ts';
import type { Rule, Target } from './rule.ts';

/** In the order of answers. */
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

/** By a profile's name for the network, lower case without blanks and punctuation. */
const NETWORKS: Readonly<Record<string, string>> = {
  instagram: 'instagram',
  ig: 'instagram',
  instagrambusiness: 'instagram',
  facebook: 'facebook',
  fb: 'facebook',
  facebookpage: 'facebook',
  meta: 'facebook',
  tiktok: 'tiktok',
  youtube: 'youtube',
  yt: 'youtube',
  threads: 'threads',
  x: 'x',
  twitter: 'x',
  xtwitter: 'x',
  bluesky: 'bluesky',
  bsky: 'bluesky',
  mastodon: 'mastodon',
  fediverse: 'mastodon',
  linkedin: 'linkedin',
  linkedinpage: 'linkedin',
  linkedincompany: 'linkedin',
  pinterest: 'pinterest',
  googlebusiness: 'google_business',
  googlebusinessprofile: 'google_business',
  googlemybusiness: 'google_business',
  gbp: 'google_business',
  gmb: 'google_business',
};

/** Empty for a network without rules. */
export function targetsOfNetwork(network: string): readonly Target[] {
  const word = network.toLowerCase().replace(/[^\p{L}\p{N}]/gu, '');
  const known = Object.hasOwn(NETWORKS, word) ? NETWORKS[word] : undefined;
  return known === undefined ? [] : TARGETS.filter(({ target }) => target.startsWith(`${known}.`));
}
