import { networkOf } from './network.ts';

interface TextRule {
  /** Maximum number of characters. */
  readonly max: number;
  count(text: string): number;
}

const segmenter = new Intl.Segmenter('en', { granularity: 'grapheme' });

const byCodePoint = (text: string): number => Array.from(text).length;
const byGrapheme = (text: string): number => Array.from(segmenter.segment(text)).length;

/**
 * Placeholder for every URL. X and Mastodon count each URL as 23 characters, which is the length of a shortened link.
 */
const LINK = 'x'.repeat(23);
const withShortLinks = (text: string): string => text.replace(/https?:\/\/\S+/g, LINK);

/** Code points that count as one character on X. All others, such as Chinese characters and emojis, count as two. */
const LIGHT: readonly (readonly [from: number, to: number])[] = [
  [0, 4351],
  [8192, 8205],
  [8208, 8223],
  [8242, 8247],
];

/**
 * Counts characters as X does (https://docs.x.com/fundamentals/counting-characters): an emoji counts as two characters,
 * even if it consists of several code points.
 */
function byWeight(text: string): number {
  let weight = 0;
  for (const { segment } of segmenter.segment(withShortLinks(text.normalize('NFC')))) {
    const point = segment.codePointAt(0) ?? 0;
    weight += LIGHT.some(([from, to]) => point >= from && point <= to) ? byCodePoint(segment) : 2;
  }
  return weight;
}

/**
 * Text limits from the networks' developer documentation: Instagram and Facebook (developers.facebook.com), Threads
 * (developers.facebook.com/docs/threads), X, Bluesky (`app.bsky.feed.post`), LinkedIn (learn.microsoft.com/linkedin),
 * TikTok (developers.tiktok.com), YouTube (a video's description; developers.google.com/youtube), Pinterest
 * (developers.pinterest.com), Google Business (developers.google.com/my-business). A Mastodon server may allow more.
 */
const RULES: Readonly<Record<string, TextRule>> = {
  bluesky: { max: 300, count: byGrapheme },
  facebook: { max: 63_206, count: byCodePoint },
  google_business: { max: 1_500, count: byCodePoint },
  instagram: { max: 2_200, count: byCodePoint },
  linkedin: { max: 3_000, count: byCodePoint },
  mastodon: { max: 500, count: (text) => byCodePoint(withShortLinks(text)) },
  pinterest: { max: 800, count: byCodePoint },
  threads: { max: 500, count: byCodePoint },
  tiktok: { max: 2_200, count: ({ length }) => length },
  x: { max: 280, count: byWeight },
  youtube: { max: 5_000, count: byCodePoint },
};

/**
 * Returns the length of a text on a network, and the maximum; null for a network whose limit isn't known.
 *
 * @param network the network's name in a profile
 */
export function textLength(network: string, text: string): { readonly length: number; readonly max: number } | null {
  const rule = RULES[networkOf(network) ?? ''];
  return rule ? { length: rule.count(text), max: rule.max } : null;
}
