/**
 * A network's program that fetches links, either to publish a post whose files are given as links or to show previews
 * of links.
 */
export interface Crawler {
  /**
   * Names of the networks for which the crawler fetches, as written in sentences. Each key is the part of a target's
   * name before the dot (`instagram` in `instagram.reel`).
   */
  readonly networks: Readonly<Record<string, string>>;
  readonly userAgent: string;
  /**
   * The names by which robots.txt can address the crawler (RFC 9309 section 2.2.1). The first is used when it fetches
   * media.
   */
  readonly tokens: readonly string[];
  /** The byte range that the crawler requests; null for the whole file. */
  readonly range: string | null;
  /** Whether the crawler sends HEAD before GET. */
  readonly asksFirst: boolean;
  readonly followsRedirects: boolean;
  /** The source of these properties, and the day on which it was read. */
  readonly source: string;
  readonly checkedOn: string;
}

const CHECKED = '2026-11-28';

/**
 * The crawlers whose requests are known from a page of the network, from its program, or from third parties that quote
 * the network. TikTok's guide names no user agent for media, and Google's guide names none for posts, so these two user
 * agents come from other sources.
 */
export const CRAWLERS: readonly Crawler[] = [
  {
    networks: { instagram: 'Instagram', threads: 'Threads', facebook: 'Facebook' },
    userAgent: 'facebookexternalhit/1.1 (+http://www.facebook.com/externalhit_uatext.php)',
    tokens: ['facebookexternalhit', 'facebookcatalog', 'Facebot', 'meta-externalfetcher'],
    range: 'bytes=0-524288',
    asksFirst: false,
    followsRedirects: true,
    source: 'https://developers.facebook.com/docs/sharing/webmasters/crawler/',
    checkedOn: CHECKED,
  },
  {
    networks: { tiktok: 'TikTok' },
    userAgent:
      'Mozilla/5.0 (Linux; Android 5.0) AppleWebKit/537.36 (KHTML, like Gecko) Mobile Safari/537.36 (compatible; TikTokSpider; ttspider-feedback@tiktok.com)',
    tokens: ['TikTokSpider', 'TikTok'],
    range: null,
    asksFirst: true,
    followsRedirects: false,
    source: 'https://developers.tiktok.com/doc/content-posting-api-media-transfer-guide',
    checkedOn: CHECKED,
  },
  {
    networks: { x: 'X' },
    userAgent: 'Twitterbot/1.0',
    tokens: ['Twitterbot'],
    range: null,
    asksFirst: true,
    followsRedirects: true,
    source: 'https://www.webmasterworld.com/search_engine_spiders/4475928.htm',
    checkedOn: CHECKED,
  },
  {
    networks: { linkedin: 'LinkedIn' },
    userAgent: 'LinkedInBot/1.0 (compatible; Mozilla/5.0; Apache-HttpClient +http://www.linkedin.com)',
    tokens: ['LinkedInBot'],
    range: null,
    asksFirst: false,
    followsRedirects: true,
    source: 'https://darkvisitors.com/agents/linkedinbot',
    checkedOn: CHECKED,
  },
  {
    networks: { pinterest: 'Pinterest' },
    userAgent: 'Mozilla/5.0 (compatible; Pinterestbot/1.0; +https://www.pinterest.com/bot.html)',
    tokens: ['Pinterestbot', 'Pinterest'],
    range: null,
    asksFirst: false,
    followsRedirects: true,
    source: 'https://help.pinterest.com/en/business/article/pinterest-crawler',
    checkedOn: CHECKED,
  },
  {
    networks: { bluesky: 'Bluesky' },
    userAgent: 'Mozilla/5.0 (compatible; Bluesky Cardyb/1.1; +mailto:support@bsky.app)',
    tokens: ['BlueskyPreviewBot', 'Bluesky', 'Cardyb'],
    range: null,
    asksFirst: false,
    followsRedirects: true,
    source: 'https://opengraphplus.com/consumers/bluesky/crawling',
    checkedOn: CHECKED,
  },
  {
    networks: { mastodon: 'Mastodon' },
    userAgent: 'Mastodon/4.5.2 (http.rb/5.3.1; +https://mastodon.social/) Bot',
    tokens: ['Mastodon'],
    range: null,
    asksFirst: false,
    followsRedirects: true,
    source: 'https://github.com/mastodon/mastodon/blob/main/app/services/fetch_link_card_service.rb',
    checkedOn: CHECKED,
  },
  {
    networks: { google_business: 'Google', youtube: 'YouTube' },
    userAgent: 'GoogleOther-Image/1.0',
    tokens: ['GoogleOther', 'GoogleOther-Image', 'GoogleOther-Video'],
    range: null,
    asksFirst: false,
    followsRedirects: true,
    source: 'https://www.searchenginejournal.com/google-reveals-two-new-web-crawlers/516658/',
    checkedOn: CHECKED,
  },
];

export interface Fetching {
  readonly crawler: Crawler;
  /** The network's name in a sentence: `Instagram`. */
  readonly network: string;
}

/**
 * Returns the crawler for a target such as `instagram.reel`.
 *
 * @throws Error if there is none, which means that {@link CRAWLERS} lacks a network
 */
export function fetchingFor(target: string): Fetching {
  const [name = ''] = target.split('.');
  for (const crawler of CRAWLERS) {
    const network = crawler.networks[name];
    if (network !== undefined) return { crawler, network };
  }
  throw new Error(`No crawler is known that fetches for ${target}.`);
}

/**
 * Maximum number of bytes of a robots.txt. Crawlers have to read at least this many (RFC 9309 section 2.5), and may
 * ignore the rest.
 */
export const MAX_ROBOTS_BYTES = 500 * 1024;

/**
 * Returns the service's own robots.txt: the networks' crawlers may fetch files, and calendar services may fetch calendars,
 * whose URLs only people who have them know. Everything else is disallowed.
 *
 * @param root the path of the service's public URL, without a trailing slash
 */
export const robotsText = (root: string): string =>
  [
    '# Networks fetch the media of posts, and calendar services fetch calendars. Nothing else here is for crawlers.',
    ...CRAWLERS.flatMap(({ tokens }) => tokens).map((token) => `User-agent: ${token}`),
    `Allow: ${root}/files/`,
    'Disallow: /',
    '',
    'User-agent: *',
    `Allow: ${root}/calendars/`,
    'Disallow: /',
    '',
  ].join('\n');
