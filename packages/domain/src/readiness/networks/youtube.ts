import { defineTarget } from '../define-target.ts';
import { advised, aspect, exactly, from, gigabytes, megabytes, minutes, oneOf, seconds } from '../limits.ts';
import { YOUTUBE_VIDEOS } from './sources.ts';

const CHECKED = '2026-11-22';

const NO_SHORT = 'Otherwise it is a regular video, not a Short.';

const SHORTS_SCALED = 'The network shows Shorts in at most 1080p.';

/** Older copies of the page say 2 MB. */
const THUMBNAIL_BYTES = {
  ...megabytes(50),
  warns: { n: 2_000_000, d: 1 },
  doubt: 'The network documents 50 MB, but older copies of that page say 2 MB.',
};

export const youtube = [
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
