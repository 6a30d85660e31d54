/** Networks by the names that profiles use for them, in lower case without blanks and punctuation. */
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

/**
 * Returns the key that the rules use for the network with this name, such as `google_business` for "Google My
 * Business". Returns null if there are no rules for the network.
 */
export function networkOf(name: string): string | null {
  const word = name.toLowerCase().replace(/[^\p{L}\p{N}]/gu, '');
  return Object.hasOwn(NETWORKS, word) ? (NETWORKS[word] ?? null) : null;
}
