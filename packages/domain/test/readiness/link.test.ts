import { describe, expect, test } from 'bun:test';
import {
  checkReadiness,
  findTarget,
  type LinkFacts,
  type LinkPlace,
  linkFacts,
  TARGETS,
} from '../../src/readiness/index.ts';

const NOW = Date.UTC(2026, 10, 28);
const DAY = 24 * 60 * 60 * 1000;

const PUBLIC: LinkPlace = { scheme: 'https', isPublic: true, redirects: false };
const LOCAL: LinkPlace = { scheme: 'http', isPublic: false, redirects: true };

function problems(name: string, link: LinkFacts | null, publishedAt: number | null = null) {
  const target = findTarget(name);
  if (!target) throw new Error(`${name} is no target`);
  return checkReadiness(target, [], { link, publishedAt })
    .problems.filter(({ rule }) => rule.includes('.link.'))
    .map(({ rule, severity }) => `${severity} ${rule.slice(name.length + 1)}`)
    .sort();
}

const signed = (place = PUBLIC) => linkFacts(place, true, NOW);
const unsigned = (place = PUBLIC) => linkFacts(place, false, NOW);

describe('link rules', () => {
  test('accept both a permanent public https link and an unknown link for every target', () => {
    for (const { target } of TARGETS) {
      expect([target, ...problems(target, unsigned())]).toEqual([target]);
      expect([target, ...problems(target, null)]).toEqual([target]);
    }
  });

  test.each([
    ['tiktok.post', ['error link.public', 'error link.redirect', 'error link.scheme']],
    ['instagram.reel', ['error link.public']],
    ['threads.post', ['error link.public']],
    ['facebook.post', ['error link.public']],
    ['pinterest.pin', ['error link.public']],
    ['google_business.post', ['warning link.public']],
    ['x.post', ['warning link.public']],
    ['youtube.short', ['warning link.public']],
    ['bluesky.post', ['warning link.public']],
    ['mastodon.post', ['warning link.public']],
    ['linkedin.post', ['warning link.public']],
  ])('for %s judge a redirecting http link on localhost as %j', (target, expected) => {
    expect(problems(target, unsigned(LOCAL))).toEqual(expected);
  });

  test.each([
    ['require https for TikTok', 'tiktok.post', { ...PUBLIC, scheme: 'http' }, ['error link.scheme']],
    ['forbid redirects for TikTok', 'tiktok.post', { ...PUBLIC, redirects: true }, ['error link.redirect']],
    ['allow http and redirects for Instagram', 'instagram.feed', { ...PUBLIC, scheme: 'http', redirects: true }, []],
  ])('%s', (_, target, place, expected) => {
    expect(problems(target, unsigned(place))).toEqual(expected);
  });

  test.each([
    ['the post’s time isn’t known', null, ['warning link.expiry']],
    ['the post is planned within the longest life of a link', NOW + 6 * DAY, []],
    ['the post is planned for the link’s last instant', NOW + 7 * DAY, ['error link.expiry']],
    ['the post is planned for later', NOW + 8 * DAY, ['error link.expiry']],
  ])('judge the expiry of a signed link if %s', (_, publishedAt, expected) => {
    expect(problems('instagram.reel', signed(), publishedAt)).toEqual(expected);
  });

  test('report the time of publication as the limit and the expiry as the actual value', () => {
    const target = findTarget('tiktok.post');
    const found = target && checkReadiness(target, [], { link: signed(), publishedAt: NOW + 8 * DAY }).problems;
    expect(found?.find(({ rule }) => rule === 'tiktok.post.link.expiry')).toMatchObject({
      limit: '2026-12-06T00:00:00.000Z',
      actual: '2026-12-05T00:00:00.000Z',
      mediaContentId: null,
    });
  });

  test('have a source and a date, and mention the domain verification for TikTok', () => {
    const rules = TARGETS.flatMap(({ rules: all }) => all).filter(({ measure }) => measure.startsWith('link.'));
    expect(rules.length).toBeGreaterThan(2 * TARGETS.length);
    for (const { source, checkedOn } of rules) {
      expect(source.address).toStartWith('https://');
      expect(checkedOn).toMatch(/^\d{4}-\d{2}-\d{2}$/);
    }
    const tiktok = rules.find(({ id }) => id === 'tiktok.post.link.public');
    expect(tiktok?.sentence).toContain('verified in TikTok’s developer portal');
  });
});
