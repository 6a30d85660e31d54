import { defineTarget } from '../define-target.ts';
import { doubtful, exactly, fps, from, gigabytes, megabytes, minutes, oneOf, seconds } from '../limits.ts';
import { TIKTOK } from './sources.ts';

const CHECKED = '2026-11-22';

const NOT_IN_GUIDE = 'Only third parties say so; the network’s own guide doesn’t.';

export const tiktok = [
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
];
