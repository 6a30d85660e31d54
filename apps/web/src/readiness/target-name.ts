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

/** "Instagram feed" for `instagram.feed`; `post`, as the only target of a network, has the network's name. */
export function targetName(target: string): string {
  const known = PLACES[target];
  if (known !== undefined) return known;
  const [network = '', place = ''] = target.split('.');
  const name = NETWORKS[network] ?? capital(network.replaceAll('_', ' '));
  return place === '' || (place === 'post' && network !== 'facebook') ? name : `${name} ${place.replaceAll('_', ' ')}`;
}
