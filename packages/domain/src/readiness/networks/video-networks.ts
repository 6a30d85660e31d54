import { defineTarget } from '../define-target.ts';
import {
  advised,
  aspect,
  doubtful,
  exactly,
  fps,
  from,
  gigabytes,
  megabytes,
  minutes,
  oneOf,
  seconds,
} from '../limits.ts';
import { TIKTOK, YOUTUBE_VIDEOS } from './sources.ts';

const CHECKED = '2026-11-22';
const NOT_IN_GUIDE = 'Only third parties say so; the network’s own guide doesn’t.';
const NO_SHORT = 'Otherwise it is a regular video, not a Short.';

const SHORTS_SCALED = 'The network shows Shorts in at most 1080p.';

/** Older copies of the page say 2 MB. */
const THUMBNAIL_BYTES = {
  ...megabytes(50),
  warns: { n: 2_000_000, d: 1 },
  doubt: 'The network documents 50 MB, but older copies of that page say 2 MB.',
};

export const videoNetworks = [
  defineTarget({
    target: 'tiktok.post',
    title: 'a TikTok post',
    source: TIKTOK.media,
    checkedOn: CHECKED,
    rules: {
      type: oneOf('image/jpeg', 'image/webp', 'video/mp4', 'video/quicktime'),
      'image.bytes.max': megabytes(20),
      'image.area.max': { ...exactly(1920 * 1080), note: 'That is 1080p.' },
      'image.width.max': from(TIKTOK.sizes, doubtful(exactly(1920), NOT_IN_GUIDE)),
      'image.height.max': from(TIKTOK.sizes, doubtful(exactly(1920), NOT_IN_GUIDE)),
      'video.bytes.max': gigabytes(4),
      'video.codec': oneOf('avc', 'hevc', 'vp8', 'vp9'),
      'video.duration.min': from(TIKTOK.sizes, doubtful(seconds(3), NOT_IN_GUIDE)),
      'video.duration.max': { ...minutes(10), note: 'Some accounts are limited to shorter videos.' },
      'video.width.min': exactly(360),
      'video.width.max': exactly(4096),
      'video.height.min': exactly(360),
      'video.height.max': exactly(4096),
      'video.frame_rate.min': fps(23),
      'video.frame_rate.max': fps(60),
      'count.min': from(TIKTOK.posts, exactly(1)),
      'image.count.max': from(TIKTOK.photos, exactly(35)),
      'video.count.max': from(TIKTOK.posts, exactly(1)),
      kinds: from(TIKTOK.posts, oneOf('image', 'video')),
      posts_per_day: from(
        TIKTOK.postsPerDay,
        doubtful(exactly(15), 'The network has a limit, but doesn’t publish it; third parties report 15 to 25.'),
      ),
    },
  }),
  defineTarget({
    target: 'youtube.video',
    title: 'a YouTube video',
    source: YOUTUBE_VIDEOS.uploads,
    checkedOn: CHECKED,
    rules: {
      type: {
        ...oneOf('video/mp4', 'video/quicktime', 'image/jpeg', 'image/png'),
        note: 'The image is its thumbnail.',
      },
      'image.bytes.max': from(YOUTUBE_VIDEOS.thumbnails, THUMBNAIL_BYTES),
      'video.bytes.max': gigabytes(256),
      'video.duration.max': from(YOUTUBE_VIDEOS.lengths, {
        ...minutes(720),
        note: 'Accounts that aren’t verified can post up to 15 minutes.',
      }),
      'video.count.min': exactly(1),
      'video.count.max': exactly(1),
      'image.count.max': from(YOUTUBE_VIDEOS.thumbnails, {
        ...exactly(1),
        remedy: 'Keep only one image, as the thumbnail.',
      }),
    },
  }),
  defineTarget({
    target: 'youtube.short',
    title: 'a YouTube Short',
    source: YOUTUBE_VIDEOS.shorts,
    checkedOn: CHECKED,
    rules: {
      type: from(YOUTUBE_VIDEOS.uploads, oneOf('video/mp4', 'video/quicktime')),
      'video.bytes.max': from(YOUTUBE_VIDEOS.uploads, gigabytes(256)),
      'video.duration.max': advised(seconds(180), NO_SHORT),
      'video.aspect.max': advised(aspect('1:1'), NO_SHORT),
      'video.width.max': from(YOUTUBE_VIDEOS.shortSizes, advised(exactly(1080), SHORTS_SCALED)),
      'video.height.max': from(YOUTUBE_VIDEOS.shortSizes, advised(exactly(1920), SHORTS_SCALED)),
      'count.min': from(YOUTUBE_VIDEOS.uploads, exactly(1)),
      'count.max': from(YOUTUBE_VIDEOS.uploads, exactly(1)),
    },
  }),
];
