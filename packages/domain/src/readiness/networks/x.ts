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
import { X } from './sources.ts';

const CHECKED = '2026-11-22';

const ADVICE = 'The network recommends it.';

const ONLY_OTHERS = 'Only third parties say so.';

/** The network's developer page gives these limits for accounts without Premium; its help pages give older ones. */
const X_BYTES = {
  ...gigabytes(8),
  warns: megabytes(512).limit,
  doubt: 'The network’s help pages say 512 MB.',
  note: 'Accounts with Premium can post up to 16 GB: if that applies to you, set it in overrides.',
};

const X_LENGTH = {
  ...minutes(20),
  warns: seconds(140).limit,
  doubt: 'The network’s help pages say 140 seconds.',
  note: 'Accounts with Premium can post up to 125 minutes: if that applies to you, set it in overrides.',
};

const UPRIGHT_ON_X = 'The network recommends 720 × 1280 pixels for upright videos.';

const LARGER_ON_X = 'According to the same page, accounts with Premium can post 1080p.';

/** 1280 × 1024 according to the page, which itself recommends 720 × 1280 for upright videos. */
const X_HEIGHT = { ...exactly(1024), warns: exactly(1280).limit, fails: exactly(1280).limit, doubt: UPRIGHT_ON_X };

export const x = [
  defineTarget({
    target: 'x.post',
    title: 'an X post',
    source: X.media,
    checkedOn: CHECKED,
    rules: {
      type: oneOf('image/jpeg', 'image/png', 'image/webp', 'image/gif', 'video/mp4', 'video/quicktime'),
      'image.bytes.max': megabytes(5),
      'gif.bytes.max': megabytes(15),
      'image.width.min': from(X.sizes, doubtful(exactly(4), ONLY_OTHERS)),
      'image.width.max': from(X.sizes, doubtful(exactly(8192), ONLY_OTHERS)),
      'image.height.min': from(X.sizes, doubtful(exactly(4), ONLY_OTHERS)),
      'image.height.max': from(X.sizes, doubtful(exactly(8192), ONLY_OTHERS)),
      'gif.width.max': advised(exactly(1280), ADVICE),
      'gif.height.max': advised(exactly(1080), ADVICE),
      'gif.frames.max': advised(exactly(350), ADVICE),
      'gif.total_area.max': advised(exactly(300_000_000), ADVICE),
      'video.bytes.max': X_BYTES,
      'video.width.min': exactly(32),
      'video.width.max': advised(exactly(1280), LARGER_ON_X),
      'video.height.min': exactly(32),
      'video.height.max': advised(X_HEIGHT, LARGER_ON_X),
      'video.codec': oneOf('avc'),
      'video.chroma': oneOf('4:2:0'),
      'video.audio': { ...oneOf('aac'), note: 'Its low-complexity profile (AAC-LC) is required.' },
      'video.channels.max': exactly(2),
      'video.duration.min': exactly(500),
      'video.duration.max': X_LENGTH,
      'video.aspect.min': aspect('1:3'),
      'video.aspect.max': aspect('3:1'),
      'video.frame_rate.max': fps(60),
      'image.count.max': exactly(4),
      'gif.count.max': exactly(1),
      'video.count.max': exactly(1),
      kinds: oneOf('image', 'gif', 'video'),
      posts_per_day: from(X.posts, {
        ...exactly(50),
        fails: exactly(2400).limit,
        doubt: 'Verified accounts can publish up to 2,400.',
      }),
    },
  }),
];
