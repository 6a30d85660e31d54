import { networkOf } from '@postshelf/domain/readiness/network';

/** Names of the networks whose name isn't just their id with a capital letter. */
const NETWORKS: Readonly<Record<string, string>> = {
  google_business: 'Google Business',
  linkedin: 'LinkedIn',
  tiktok: 'TikTok',
  x: 'X',
  youtube: 'YouTube',
};

const capital = (text: string): string => text.charAt(0).toUpperCase() + text.slice(1);

/** Display names that differ from what {@link targetName} would compose. */
const PLACES: Readonly<Record<string, string>> = { 'youtube.short': 'YouTube Short' };

/** Returns a network's display name: "TikTok" for `tiktok`. */
export const networkName = (network: string): string => NETWORKS[network] ?? capital(network.replaceAll('_', ' '));

/**
 * Returns the display name of a profile's network: "TikTok" for "Tik Tok"; an unknown network keeps the name that the
 * profile gives it.
 */
export function profileNetwork(network: string): string {
  const known = networkOf(network);
  return known === null ? network : networkName(known);
}

/** Returns a target's name within its network: "Feed" for `instagram.feed`; null if the network has only one target. */
export function placeName(target: string): string | null {
  const [network, place = ''] = target.split('.');
  return place === '' || (place === 'post' && network !== 'facebook') ? null : capital(place.replaceAll('_', ' '));
}

/**
 * Returns a target's display name: "Instagram feed" for `instagram.feed`; if a network has only the target `post`, that
 * target has the network's name.
 */
export function targetName(target: string): string {
  const known = PLACES[target];
  if (known !== undefined) return known;
  const [network = ''] = target.split('.');
  const place = placeName(target);
  return place === null ? networkName(network) : `${networkName(network)} ${place.toLowerCase()}`;
}
