import { defineTarget } from '../define-target.ts';
import { advised, aspect, doubtful, exactly, from, gigabytes, megabytes, minutes, oneOf, seconds } from '../limits.ts';
import { PINTEREST } from './sources.ts';

const CHECKED = '2026-11-22';

export const pinterest = [
  defineTarget({
    target: 'pinterest.pin',
    title: 'a pin on Pinterest',
    source: PINTEREST.specs,
    checkedOn: CHECKED,
    rules: {
      type: oneOf('image/jpeg', 'image/png', 'image/webp', 'video/mp4', 'video/quicktime'),
      'image.bytes.max': doubtful(megabytes(20), 'In its apps the network accepts 32 MB.'),
      'video.bytes.max': gigabytes(2),
      'video.codec': oneOf('avc', 'hevc'),
      'video.duration.min': seconds(4),
      'video.duration.max': {
        ...minutes(15),
        warns: minutes(5).limit,
        doubt: 'Some of the network’s pages say 5 minutes, others 15.',
      },
      'video.aspect.min': aspect('1:2'),
      'video.aspect.max': aspect('1.91:1'),
      'count.min': exactly(1),
      'count.max': from(PINTEREST.pins, exactly(5)),
      'video.count.max': from(PINTEREST.pins, exactly(1)),
      'image.count.min': from(PINTEREST.pins, {
        ...advised(exactly(1), 'It is the cover of the video; a frame of the video can be used instead.'),
        beside: 'video',
        remedy: 'Add an image as the cover.',
      }),
      'image.count.max': from(PINTEREST.pins, {
        ...exactly(1),
        beside: 'video',
        note: 'It is the cover of the video.',
      }),
      equal_size: from(PINTEREST.carousels, { limit: true }),
    },
  }),
];
