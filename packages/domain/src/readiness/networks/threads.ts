import { defineTarget } from '../define-target.ts';
import { advised, aspect, exactly, from, gigabytes, megabits, megabytes, oneOf, seconds } from '../limits.ts';
import { META_VIDEO } from './instagram.ts';
import { THREADS, THREADS_POSTS } from './sources.ts';

const CHECKED = '2026-11-22';

const SCALED = 'The network scales it.';

export const threads = [
  defineTarget({
    target: 'threads.post',
    title: 'a Threads post',
    source: THREADS,
    checkedOn: CHECKED,
    rules: {
      type: oneOf('image/jpeg', 'image/png', 'video/mp4', 'video/quicktime'),
      'image.bytes.max': megabytes(8),
      'image.aspect.max': aspect('10:1'),
      'image.width.min': advised(exactly(320), SCALED),
      'image.width.max': advised(exactly(1440), SCALED),
      ...META_VIDEO,
      'video.bytes.max': gigabytes(1),
      'video.duration.max': seconds(300),
      'video.aspect.min': aspect('1:100'),
      'video.aspect.max': aspect('10:1'),
      'video.bitrate.max': megabits(100),
      'count.max': exactly(20),
      posts_per_day: from(THREADS_POSTS, exactly(250)),
    },
  }),
];
