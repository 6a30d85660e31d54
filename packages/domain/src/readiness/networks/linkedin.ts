import { defineTarget } from '../define-target.ts';
import { atLeastKilobytes, exactly, from, megabytes, minutes, oneOf, seconds } from '../limits.ts';
import { LINKEDIN } from './sources.ts';

const CHECKED = '2026-11-22';

export const linkedin = [
  defineTarget({
    target: 'linkedin.post',
    title: 'a LinkedIn post',
    source: LINKEDIN.videos,
    checkedOn: CHECKED,
    rules: {
      type: from(LINKEDIN.images, oneOf('image/jpeg', 'image/png', 'image/gif', 'video/mp4')),
      'image.area.max': from(LINKEDIN.images, exactly(36_152_319)),
      'gif.frames.max': from(LINKEDIN.images, exactly(250)),
      'video.bytes.min': atLeastKilobytes(75),
      'video.bytes.max': megabytes(500),
      'video.duration.min': seconds(3),
      'video.duration.max': minutes(30),
      'image.count.max': from(LINKEDIN.posts, exactly(20)),
      'video.count.max': from(LINKEDIN.posts, exactly(1)),
      kinds: from(LINKEDIN.posts, oneOf('image', 'video')),
    },
  }),
];
