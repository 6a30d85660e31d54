import { defineTarget, type TargetSpec } from '../define-target.ts';
import {
  advised,
  aspect,
  aspectOf,
  exactly,
  fps,
  from,
  mebibytes,
  megabits,
  megabytes,
  minutes,
  noEditList,
  oneOf,
  required,
  seconds,
} from '../limits.ts';
import { INSTAGRAM, META_SAMPLES } from './sources.ts';

const CHECKED = '2026-11-22';

/** The rules for videos that Instagram and Threads share. */
export const META_VIDEO = {
  'video.codec': oneOf('avc', 'hevc'),
  'video.chroma': oneOf('4:2:0'),
  'video.audio': oneOf('aac'),
  'video.audio.max': exactly(48_000),
  'video.channels.max': exactly(2),
  'video.moov': required,
  'video.edit_list': noEditList,
  'video.width.max': exactly(1920),
  'video.frame_rate.min': fps(23),
  'video.frame_rate.max': fps(60),
} as const satisfies TargetSpec['rules'];

/** 300 MB according to the page, 1 GB according to its older versions and Meta's own sample. */
const VIDEO_BYTES = {
  ...megabytes(300),
  fails: mebibytes(1024).limit,
  doubt: 'The network documents 300 MB, but its sample and its older pages say 1 GB.',
};

const REEL = {
  ...META_VIDEO,
  'video.bytes.max': from(INSTAGRAM.media, VIDEO_BYTES),
  'video.duration.min': seconds(3),
  'video.duration.max': minutes(15),
  'video.aspect.min': aspect('1:100'),
  'video.aspect.max': aspect('10:1'),
  'video.bitrate.max': megabits(25),
} as const satisfies TargetSpec['rules'];

const SCALED = 'The network scales it.';

/** Carousels count as one post. */
const POSTS_PER_DAY = from(INSTAGRAM.posts, {
  ...exactly(50),
  fails: exactly(100).limit,
  doubt: 'The network documents 50 on two pages, and 100 on another.',
});

export const instagram = [
  defineTarget({
    target: 'instagram.feed',
    title: 'an Instagram feed post',
    source: META_SAMPLES,
    checkedOn: CHECKED,
    rules: {
      type: from(INSTAGRAM.images, oneOf('image/jpeg', 'video/mp4', 'video/quicktime')),
      'image.bytes.max': from(INSTAGRAM.images, megabytes(8)),
      'image.aspect.min': from(INSTAGRAM.images, {
        limit: aspectOf('4:5'),
        fails: aspectOf('3:4'),
        doubt: 'Some accounts are allowed to post 3:4.',
      }),
      'image.aspect.max': from(INSTAGRAM.images, aspect('1.91:1')),
      'image.width.min': from(INSTAGRAM.images, advised(exactly(320), SCALED)),
      'image.width.max': from(INSTAGRAM.images, advised(exactly(1440), SCALED)),
      ...REEL,
      'count.min': exactly(1),
      'count.max': exactly(10),
      posts_per_day: POSTS_PER_DAY,
    },
  }),
  defineTarget({
    target: 'instagram.reel',
    title: 'an Instagram reel',
    source: META_SAMPLES,
    checkedOn: CHECKED,
    rules: {
      type: { ...oneOf('video/mp4', 'video/quicktime', 'image/jpeg'), note: 'The image is its cover.' },
      'image.bytes.max': from(INSTAGRAM.media, megabytes(8)),
      ...REEL,
      'video.count.min': exactly(1),
      'video.count.max': exactly(1),
      'image.count.max': { ...exactly(1), remedy: 'Keep only one image, as the cover.' },
      posts_per_day: POSTS_PER_DAY,
    },
  }),
  defineTarget({
    target: 'instagram.story',
    title: 'an Instagram story',
    source: INSTAGRAM.media,
    checkedOn: CHECKED,
    rules: {
      type: oneOf('image/jpeg', 'video/mp4', 'video/quicktime'),
      'image.bytes.max': megabytes(8),
      ...META_VIDEO,
      'video.bytes.max': megabytes(100),
      'video.duration.min': seconds(3),
      'video.duration.max': seconds(60),
      'video.aspect.min': aspect('1:10'),
      'video.aspect.max': aspect('10:1'),
      'video.bitrate.max': from(INSTAGRAM.stories, megabits(25)),
      'count.min': exactly(1),
      'count.max': exactly(1),
      posts_per_day: POSTS_PER_DAY,
    },
  }),
];
