/** A program that fetches media for social networks, with the request headers that it sends. */
export interface Fetcher {
  readonly name: string;
  readonly headers: Readonly<Record<string, string>>;
  /** Whether the program sends a HEAD request before it fetches a file. */
  readonly asksFirst: boolean;
}

const fetcher = (name: string, agent: string, more: Readonly<Record<string, string>> = {}, asksFirst = false) => ({
  name,
  headers: { 'User-Agent': agent, Accept: '*/*', 'Accept-Encoding': 'gzip, deflate', Connection: 'close', ...more },
  asksFirst,
});

export const FETCHERS: readonly Fetcher[] = [
  fetcher(
    'Instagram, Facebook and Threads',
    'facebookexternalhit/1.1 (+http://www.facebook.com/externalhit_uatext.php)',
    {
      Range: 'bytes=0-524288',
    },
  ),
  fetcher(
    'TikTok',
    'Mozilla/5.0 (Linux; Android 5.0) AppleWebKit/537.36 (KHTML, like Gecko) Mobile Safari/537.36 (compatible; TikTokSpider; ttspider-feedback@tiktok.com)',
    {},
    true,
  ),
  fetcher('X', 'Twitterbot/1.0', {}, true),
  fetcher('LinkedIn', 'LinkedInBot/1.0 (compatible; Mozilla/5.0; Apache-HttpClient +http://www.linkedin.com)'),
  fetcher('Pinterest', 'Mozilla/5.0 (compatible; Pinterestbot/1.0; +https://www.pinterest.com/bot.html)', {}, true),
  fetcher('Bluesky', 'Mozilla/5.0 (compatible; Bluesky Cardyb/1.1; +mailto:support@bsky.app)'),
  fetcher('Mastodon', 'Mastodon/4.5.2 (http.rb/5.3.1; +https://mastodon.social/)', { 'Accept-Encoding': 'gzip' }),
];

/** The headers that Chromium sends for an image on a page loaded over HTTPS. */
export const BROWSER = { 'Sec-Fetch-Dest': 'image', 'Sec-Fetch-Mode': 'no-cors', 'Sec-Fetch-Site': 'same-origin' };
