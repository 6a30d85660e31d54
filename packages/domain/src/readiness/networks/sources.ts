import type { Source } from '../rule.ts';

// All sources of the rules, by kind. Only sources that were actually read are cited.

const network = (address: string): Source => ({ address, kind: 'network' });
/** @param where where and when third parties quoted the network's page */
const copy = (address: string, where: string): Source => ({ address, kind: 'copy', where });
const code = (address: string): Source => ({ address, kind: 'code' });
const vendor = (address: string): Source => ({ address, kind: 'vendor' });

const META = 'https://developers.facebook.com/docs';
const SHARES = 'https://learn.microsoft.com/en-us/linkedin/marketing/community-management/shares';
const YOUTUBE = 'https://developers.google.com/youtube';
const ATPROTO = 'https://github.com/bluesky-social/atproto/blob/main/lexicons/app/bsky';
const MASTODON_CODE = 'https://github.com/mastodon/mastodon/blob';
const POSTIZ = 'https://github.com/gitroomhq/postiz-app/blob/main/libraries/nestjs-libraries/src/integrations/social';
const IG_MEDIA = `${META}/instagram-platform/instagram-graph-api/reference/ig-user/media`;
const TIKTOK_PHOTO_POST = 'https://developers.tiktok.com/doc/content-posting-api-reference-photo-post';
/** The date on which these sources were last read. Targets may give a date of their own. */
const READ_AGAIN = '2026-11-28';
const QUOTED = 'quoted in public repositories in 2026';

/** Used for pages of which only third-party reports were available. */
const REPORTED = 'reports of its content, as the page itself could not be opened';

export const META_SAMPLES = network(
  'https://github.com/fbsamples/reels_publishing_apis/blob/main/insta_reels_publishing_api_sample/README.md',
);
export const INSTAGRAM = {
  images: network(IG_MEDIA),
  media: copy(IG_MEDIA, 'a copy of March 2026 in a public repository'),
  stories: copy(IG_MEDIA, 'its version of 2026-09-11'),
  posts: { ...network(`${META}/instagram-platform/content-publishing/`), checkedOn: READ_AGAIN },
};
export const THREADS = network(`${META}/threads/overview/`);
export const THREADS_POSTS: Source = { ...THREADS, checkedOn: READ_AGAIN };
export const FACEBOOK = {
  photos: copy(`${META}/graph-api/reference/page/photos/`, QUOTED),
  videos: network(`${META}/video-api/guides/publishing`),
  reels: network(`${META}/video-api/guides/reels-publishing`),
  postsPerDay: { ...network(`${META}/video-api/guides/reels-publishing`), checkedOn: READ_AGAIN },
  stories: network(`${META}/page-stories-api`),
  lengths: vendor('https://www.ayrshare.com/docs/media-guidelines/facebook_pages.md'),
  counts: code('https://github.com/inovector/mixpost/blob/main/config/mixpost.php'),
};
/**
 * The source code of RelayAPI, which states the sizes that RelayAPI accepts for Facebook's videos and for posts on
 * Google Business Profiles.
 */
export const RELAYAPI = code(
  'https://github.com/relayapi-dev/relayapi/blob/main/apps/api/src/config/platform-limits.ts',
);
export const TIKTOK = {
  media: copy(
    'https://github.com/commonpike/fairpost/blob/9e072929ef9423bfec762e6bca9993c835c2473c/docs/TikTok.md',
    'there, word for word from TikTok’s media transfer guide',
  ),
  posts: network(TIKTOK_PHOTO_POST),
  photos: copy(TIKTOK_PHOTO_POST, QUOTED),
  sizes: { ...vendor('https://www.ayrshare.com/docs/media-guidelines/tiktok.md'), checkedOn: READ_AGAIN },
  postsPerDay: {
    ...vendor('https://developers.tokportal.com/blog/unified-social-apis-25-posts-a-day-wall/'),
    checkedOn: READ_AGAIN,
  },
};
export const TIKTOK_LINKS = network('https://developers.tiktok.com/doc/content-posting-api-media-transfer-guide');
export const YOUTUBE_VIDEOS = {
  uploads: network(`${YOUTUBE}/v3/docs/videos/insert`),
  thumbnails: network(`${YOUTUBE}/data/reference/rest/v3/thumbnails/set`),
  lengths: copy('https://support.google.com/youtube/answer/71673', REPORTED),
  shorts: copy('https://support.google.com/youtube/answer/15424877', REPORTED),
  shortSizes: copy('https://support.google.com/youtube/answer/10059070', REPORTED),
};
export const X = {
  media: network('https://github.com/xdevplatform/docs/blob/main/x-api/media/quickstart/best-practices.mdx'),
  sizes: { ...vendor('https://www.ayrshare.com/docs/media-guidelines/x_twitter'), checkedOn: READ_AGAIN },
  posts: {
    ...copy('https://help.x.com/en/rules-and-policies/x-limits', 'news reports of May 2026'),
    checkedOn: READ_AGAIN,
  },
};
export const BLUESKY = {
  images: network(`${ATPROTO}/embed/images.json`),
  video: network(`${ATPROTO}/embed/video.json`),
  posts: network(`${ATPROTO}/feed/post.json`),
  app: {
    ...network('https://github.com/bluesky-social/social-app/blob/main/src/lib/constants.ts'),
    checkedOn: READ_AGAIN,
  },
};
export const MASTODON = {
  media: network(`${MASTODON_CODE}/main/app/models/media_attachment.rb`),
  areas: network(`${MASTODON_CODE}/main/app/models/concerns/attachmentable.rb`),
  posts: network(`${MASTODON_CODE}/0194c3c459526528864be76d70c82fba662a1948/app/services/post_status_service.rb`),
};
export const LINKEDIN = {
  images: copy(`${SHARES}/images-api`, QUOTED),
  videos: copy(`${SHARES}/videos-api`, QUOTED),
  posts: network(`${SHARES}/multiimage-post-api`),
};
export const PINTEREST = {
  specs: network('https://help.pinterest.com/en/business/article/pinterest-product-specs'),
  pins: network('https://github.com/pinterest/api-description/blob/main/v5/openapi.yaml'),
  carousels: code(`${POSTIZ}/pinterest.provider.ts`),
};
export const GOOGLE_BUSINESS = {
  media: vendor('https://www.ayrshare.com/docs/media-guidelines/google_business_profile.md'),
  posts: vendor('https://docs.zernio.com/platforms/google-business/reference'),
  counts: code(`${POSTIZ}/gmb.provider.ts`),
};
