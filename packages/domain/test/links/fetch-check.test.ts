import { describe, expect, test } from 'bun:test';
import { CRAWLERS, type FetchedLink, fetchingFor, judgeFetched, robotsText, TARGET_NAMES } from '../../src/index.ts';

const CONTENT = { type: 'image/jpeg', size: 7000 } as const;

const FETCHED: FetchedLink = {
  status: 200,
  redirects: [],
  contentType: 'image/jpeg',
  contentLength: 7000,
  seconds: 0.1,
  robots: 'allowed',
  failure: null,
};

const judge = (change: Partial<FetchedLink>, target = 'instagram.reel') =>
  judgeFetched(target, CONTENT, { ...FETCHED, ...change });

describe('the verdict on a fetched link', () => {
  test.each([
    ['for a plain response', {}, 'Instagram can fetch the file.'],
    ['without a robots.txt', { robots: 'none' }, 'Instagram can fetch the file.'],
    ['for a partial response', { status: 206 }, 'Instagram can fetch the file.'],
    ['after a redirect', { redirects: ['https://store.example.com/a'] }, 'Instagram can fetch the file.'],
    [
      'without a length',
      { contentLength: null },
      'Instagram can fetch the file. The response doesn’t say how long the file is.',
    ],
    [
      'if robots.txt is unreadable',
      { robots: 'unknown' },
      'Instagram can fetch the file. The robots.txt of the link’s host couldn’t be read, which some crawlers treat as a refusal.',
    ],
    [
      'for a slow response',
      { seconds: 6.25 },
      'Instagram can fetch the file. Fetching took 6.3 seconds, which is long for a crawler.',
    ],
  ] as [string, Partial<FetchedLink>, string][])('is ok %s', (_, change, message) => {
    expect(judge(change)).toEqual({ ok: true, message });
  });

  test('says that TikTok requires a verified domain', () => {
    expect(judge({}, 'tiktok.post')).toEqual({
      ok: true,
      message:
        'TikTok can fetch the file. TikTok accepts links only from a domain, or a prefix, that its developer portal has verified.',
    });
  });

  test.each([
    ['instagram.reel', 'a status of 403', { status: 403 }, 'The link returns status 403, so Instagram can’t fetch it.'],
    [
      'threads.post',
      'a robots.txt that disallows it',
      { robots: 'disallowed' },
      'The robots.txt of the link’s host disallows facebookexternalhit, so Threads won’t fetch it.',
    ],
    [
      'tiktok.post',
      'a redirect',
      { redirects: ['https://store.example.com/a'] },
      'The link redirects, and TikTok doesn’t follow redirects. Set S3_REDIRECT=browsers to send it the file itself.',
    ],
    [
      'x.post',
      'another content type',
      { contentType: 'text/html' },
      'The response has the content type text/html, but image/jpeg was expected.',
    ],
    [
      'pinterest.pin',
      'no content type',
      { contentType: null },
      'The response has no content type, but image/jpeg was expected.',
    ],
    ['bluesky.post', 'another length', { contentLength: 12 }, 'The response has 12 bytes, but 7000 were expected.'],
    [
      'mastodon.post',
      'a refused redirect',
      { status: null, failure: { kind: 'refused', message: 'The link leads elsewhere.' } },
      'The link leads elsewhere.',
    ],
    [
      'google_business.post',
      'a server that does not answer',
      { status: null, failure: { kind: 'unreachable', message: 'The server at a did not answer in time.' } },
      'The server at a did not answer in time. This is only known from this server: Google may be able to reach it.',
    ],
  ] as [string, string, Partial<FetchedLink>, string][])('is not ok for %s with %s', (target, _, change, message) => {
    expect(judge(change, target)).toEqual({ ok: false, message });
  });
});

describe('crawlers', () => {
  test('exist for every target, with a source and a date', () => {
    for (const target of TARGET_NAMES) expect(fetchingFor(target).network).not.toBe('');
    for (const { source, checkedOn, userAgent } of CRAWLERS) {
      expect(source).toStartWith('https://');
      expect(checkedOn).toMatch(/^\d{4}-\d{2}-\d{2}$/);
      expect(userAgent).not.toMatch(/[^\x20-\x7e]/);
    }
  });

  test('form the first group in robots.txt, before the group for all other crawlers', () => {
    const [first = '', second = ''] = robotsText('/shelf').split('\n\n');
    for (const { tokens } of CRAWLERS) for (const token of tokens) expect(first).toContain(`\nUser-agent: ${token}\n`);
    expect(first).toEndWith('\nAllow: /shelf/files/\nDisallow: /');
    expect(second).toBe('User-agent: *\nAllow: /shelf/calendars/\nDisallow: /\n');
  });
});
