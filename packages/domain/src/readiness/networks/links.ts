import type { LinkSpec } from '../define-target.ts';
import type { Severity, Source } from '../rule.ts';
import {
  BLUESKY,
  FACEBOOK,
  GOOGLE_BUSINESS,
  INSTAGRAM,
  LINKEDIN,
  MASTODON,
  PINTEREST,
  THREADS,
  TIKTOK_LINKS,
  X,
  YOUTUBE_VIDEOS,
} from './sources.ts';

const CHECKED = '2026-11-28';

/** Rules for networks that fetch the file by its link when the post is published. */
const fetched = (source: Source, more: { readonly note?: string; readonly severity?: Severity } = {}): LinkSpec[] => [
  { name: 'link.public', limit: true, source, checkedOn: CHECKED, ...more },
  { name: 'link.expiry', limit: true, source, checkedOn: CHECKED, ...(more.severity && { severity: more.severity }) },
];

/**
 * Rules for networks to which the publishing program uploads the file. The program fetches the file by its link, and
 * may run on any machine.
 */
const uploaded = (source: Source): LinkSpec[] =>
  fetched(source, { severity: 'warning', note: 'The program that publishes the post reads the file.' });

const BY_META = { note: 'The network fetches it as facebookexternalhit.' };

/** Rules about links by network, which is the part of a target's name before the dot. */
export const LINK_RULES: Readonly<Record<string, readonly LinkSpec[]>> = {
  instagram: fetched(INSTAGRAM.images, BY_META),
  threads: fetched(THREADS, BY_META),
  facebook: fetched(FACEBOOK.videos, BY_META),
  tiktok: [
    { name: 'link.scheme', limit: ['https'], source: TIKTOK_LINKS, checkedOn: CHECKED },
    { name: 'link.redirect', limit: false, source: TIKTOK_LINKS, checkedOn: CHECKED },
    ...fetched(TIKTOK_LINKS, { note: 'Its domain, or a prefix of it, must be verified in TikTok’s developer portal.' }),
  ],
  pinterest: fetched(PINTEREST.pins),
  google_business: fetched(GOOGLE_BUSINESS.posts, { severity: 'warning' }),
  youtube: uploaded(YOUTUBE_VIDEOS.uploads),
  x: uploaded(X.media),
  linkedin: uploaded(LINKEDIN.posts),
  bluesky: uploaded(BLUESKY.posts),
  mastodon: uploaded(MASTODON.media),
};
