import { networkOf } from '@postshelf/domain/readiness/network';

/** Names of networks that aren't just their id with a capital letter. */
const NETWORKS: Readonly<Record<string, string>> = {
  google_business: 'Google Business',
  linkedin: 'LinkedIn',
  tiktok: 'TikTok',
  x: 'X',
  youtube: 'YouTube',
};

const capital = (text: string): string => text.charAt(0).toUpperCase() + text.slice(1);

/** Targets that have names of their own. */
const PLACES: Readonly<Record<string, string>> = { 'youtube.short': 'YouTube Short' };

/** "TikTok" for `tiktok`. */
export const networkName = (network: string): string => NETWORKS[network] ?? capital(network.replaceAll('_', ' '));

/** "TikTok" for a profile on "Tik Tok"; a network that isn't known as the profile names it. */
export function profileNetwork(network: string): string {
  const known = networkOf(network);
  return known === null ? network : networkName(known);
}

/** Which place on its network a target is: "Feed" for `instagram.feed`; null for the only one that the network has. */
export function placeName(target: string): string | null {
  const [network, place = ''] = target.split('.');
  return place === '' || (place === 'post' && network !== 'facebook') ? null : capital(place.replaceAll('_', ' '));
}

/** "Instagram feed" for `instagram.feed`; `post`, as the only target of a network, has the network's name. */
export function targetName(target: string): string {
  const known = PLACES[target];
  if (known !== undefined) return known;
  const [network = ''] = target.split('.');
  const place = placeName(target);
  return place === null ? networkName(network) : `${networkName(network)} ${place.toLowerCase()}`;
}
