import { defineTarget, type TargetSpec } from '../define-target.ts';
import {
  advised,
  aspect,
  aspectOf,
  doubtful,
  exactly,
  fps,
  from,
  megabits,
  megabytes,
  minutes,
  noEditList,
  oneOf,
  required,
  seconds,
} from '../limits.ts';

const MEDIA = 'https://developers.facebook.com/docs/instagram-platform/instagram-graph-api/reference/ig-user/media';
const PUBLISHING = 'https://developers.facebook.com/docs/instagram-platform/content-publishing';
const CHECKED = '2026-11-22';

/** What Instagram and Threads ask of every video alike. */
export const META_VIDEO = {
  'video.codec': oneOf('avc', 'hevc'),
  'video.chroma': oneOf('4:2:0'),
  'video.audio': oneOf('aac'),
  'video.audio.max': exactly(48_000),
  'video.moov': required,
  'video.edit_list': noEditList,
  'video.width.max': exactly(1920),
  'video.frame_rate.min': fps(23),
  'video.frame_rate.max': fps(60),
} as const satisfies TargetSpec['rules'];

const REEL = {
  ...META_VIDEO,
  'video.bytes.max': megabytes(300),
  'video.duration.min': seconds(3),
  'video.duration.max': minutes(15),
  'video.aspect.min': aspect('1:100'),
  'video.aspect.max': aspect('10:1'),
  'video.bitrate.max': megabits(25),
} as const satisfies TargetSpec['rules'];

const SCALED = 'The network scales it.';

export const instagram = [
  defineTarget({
    target: 'instagram.feed',
    title: 'an Instagram feed post',
    source: MEDIA,
    checkedOn: CHECKED,
    rules: {
      type: oneOf('image/jpeg', 'video/mp4', 'video/quicktime'),
      'image.bytes.max': megabytes(8),
      'image.aspect.min': {
        limit: aspectOf('4:5'),
        fails: aspectOf('3:4'),
        doubt: 'Some accounts may post 3:4.',
      },
      'image.aspect.max': aspect('1.91:1'),
      'image.width.min': advised(exactly(320), SCALED),
      'image.width.max': advised(exactly(1440), SCALED),
      ...REEL,
      'count.min': exactly(1),
      'count.max': from(PUBLISHING, exactly(10)),
    },
  }),
  defineTarget({
    target: 'instagram.reel',
    title: 'an Instagram reel',
    source: MEDIA,
    checkedOn: CHECKED,
    rules: {
      type: { ...oneOf('video/mp4', 'video/quicktime', 'image/jpeg'), note: 'The image is its cover.' },
      'image.bytes.max': megabytes(8),
      ...REEL,
      'video.count.min': exactly(1),
      'video.count.max': from(PUBLISHING, exactly(1)),
      'image.count.max': { ...exactly(1), remedy: 'Leave one image, as the cover.' },
    },
  }),
  defineTarget({
    target: 'instagram.story',
    title: 'an Instagram story',
    source: MEDIA,
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
      'video.bitrate.max': doubtful(megabits(25)),
      'count.min': exactly(1),
      'count.max': exactly(1),
    },
  }),
];
