import { defineTarget } from '../define-target.ts';
import { advised, aspect, exactly, fps, from, gigabytes, megabytes, minutes, oneOf, seconds } from '../limits.ts';

const TIKTOK = 'https://developers.tiktok.com/doc/content-posting-api-media-transfer-guide';
const TIKTOK_POSTS = 'https://developers.tiktok.com/doc/content-posting-api-reference-photo-post';
const TIKTOK_SIZES = 'https://www.ayrshare.com/docs/media-guidelines/tiktok.md';
const YOUTUBE = 'https://support.google.com/youtube/answer/71673';
const THUMBNAILS = 'https://developers.google.com/youtube/v3/docs/thumbnails/set';
const SHORTS = 'https://support.google.com/youtube/answer/15424877';
const CHECKED = '2026-11-22';
const NO_SHORT = 'Otherwise it is no Short, but a video like others.';

export const videoNetworks = [
  defineTarget({
    target: 'tiktok.post',
    title: 'a TikTok post',
    source: TIKTOK,
    checkedOn: CHECKED,
    rules: {
      type: oneOf('image/jpeg', 'image/webp', 'video/mp4', 'video/quicktime'),
      'image.bytes.max': megabytes(20),
      'image.area.max': { ...exactly(1920 * 1080), note: 'That is 1080p.' },
      'image.width.max': from(TIKTOK_SIZES, exactly(1920)),
      'image.height.max': from(TIKTOK_SIZES, exactly(1920)),
      'video.bytes.max': gigabytes(4),
      'video.codec': oneOf('avc', 'hevc', 'vp8', 'vp9'),
      'video.duration.min': from(TIKTOK_SIZES, seconds(3)),
      'video.duration.max': { ...minutes(10), note: 'Some accounts may post shorter ones only.' },
      'video.width.min': exactly(360),
      'video.width.max': exactly(4096),
      'video.height.min': exactly(360),
      'video.height.max': exactly(4096),
      'video.frame_rate.min': fps(23),
      'video.frame_rate.max': fps(60),
      'count.min': exactly(1),
      'image.count.max': from(TIKTOK_POSTS, exactly(35)),
      'video.count.max': exactly(1),
      kinds: oneOf('image', 'video'),
    },
  }),
  defineTarget({
    target: 'youtube.video',
    title: 'a YouTube video',
    source: YOUTUBE,
    checkedOn: CHECKED,
    rules: {
      type: {
        ...oneOf('video/mp4', 'video/quicktime', 'image/jpeg', 'image/png'),
        note: 'The image is its thumbnail.',
      },
      'image.bytes.max': from(THUMBNAILS, megabytes(2)),
      'video.bytes.max': gigabytes(256),
      'video.duration.max': { ...minutes(720), note: 'Accounts that aren’t verified may post 15 minutes.' },
      'video.count.min': exactly(1),
      'video.count.max': exactly(1),
      'image.count.max': from(THUMBNAILS, { ...exactly(1), remedy: 'Leave one image, as the thumbnail.' }),
    },
  }),
  defineTarget({
    target: 'youtube.short',
    title: 'a YouTube Short',
    source: SHORTS,
    checkedOn: CHECKED,
    rules: {
      type: from(YOUTUBE, oneOf('video/mp4', 'video/quicktime')),
      'video.bytes.max': from(YOUTUBE, gigabytes(256)),
      'video.duration.max': advised(seconds(180), NO_SHORT),
      'video.aspect.max': advised(aspect('1:1'), NO_SHORT),
      'count.min': exactly(1),
      'count.max': from(YOUTUBE, exactly(1)),
    },
  }),
];
