import { defineTarget, type TargetSpec } from '../define-target.ts';
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
import { FACEBOOK, RELAYAPI } from './sources.ts';

const CHECKED = '2026-11-22';

/** The pages say 10 MB; their older versions and an error message of the API itself say 4 MB. */
const IMAGE_BYTES = {
  ...megabytes(10),
  warns: { n: 4_000_000, d: 1 },
  doubt: 'The network documents 10 MB, but its older pages and an error message of its API say 4 MB.',
};

/** A limit of 24 frames a second also allows 24000/1001, the rate at which films are broadcast. */
const FILM_RATE = {
  ...fps(24),
  fails: { n: 23_976, d: 1 },
  doubt: 'A rate of 23.976 is also called 24.',
};

const REEL = {
  'video.codec': oneOf('avc', 'hevc', 'vp9', 'av1'),
  'video.chroma': advised(oneOf('4:2:0'), 'The network lists it among its video settings.'),
  'video.aspect.min': aspect('9:16'),
  'video.aspect.max': aspect('9:16'),
  'video.width.min': exactly(540),
  'video.height.min': exactly(960),
  'video.frame_rate.min': FILM_RATE,
  'video.frame_rate.max': fps(60),
  'video.duration.min': seconds(3),
  'video.bytes.max': from(RELAYAPI, doubtful(gigabytes(1))),
  'video.channels.max': advised(exactly(2), 'The network lists stereo among its sound settings.'),
  'video.type': advised(oneOf('video/mp4'), 'The network recommends MP4.'),
} as const satisfies TargetSpec['rules'];

export const facebook = [
  defineTarget({
    target: 'facebook.post',
    title: 'a Facebook post',
    source: FACEBOOK.photos,
    checkedOn: CHECKED,
    rules: {
      type: oneOf('image/jpeg', 'image/png', 'image/gif', 'video/mp4', 'video/quicktime'),
      'image.bytes.max': IMAGE_BYTES,
      'video.bytes.max': from(RELAYAPI, doubtful(gigabytes(1))),
      'video.duration.max': from(FACEBOOK.lengths, doubtful(minutes(240))),
      'image.count.max': from(FACEBOOK.counts, exactly(10)),
      'video.count.max': from(FACEBOOK.videos, exactly(1)),
      kinds: from(FACEBOOK.videos, oneOf('image', 'video')),
    },
  }),
  defineTarget({
    target: 'facebook.reel',
    title: 'a Facebook reel',
    source: FACEBOOK.reels,
    checkedOn: CHECKED,
    rules: {
      type: oneOf('video/mp4', 'video/quicktime'),
      ...REEL,
      'video.duration.max': seconds(90),
      'count.min': exactly(1),
      'count.max': exactly(1),
      posts_per_day: from(
        FACEBOOK.postsPerDay,
        doubtful(exactly(30), 'All posts of the profile are counted, as it isn’t known which of them are reels.'),
      ),
    },
  }),
  defineTarget({
    target: 'facebook.story',
    title: 'a Facebook story',
    source: FACEBOOK.stories,
    checkedOn: CHECKED,
    rules: {
      type: oneOf('image/jpeg', 'image/png', 'image/gif', 'video/mp4', 'video/quicktime'),
      'image.bytes.max': IMAGE_BYTES,
      ...REEL,
      'video.duration.max': seconds(60),
      'count.min': exactly(1),
      'count.max': exactly(1),
    },
  }),
];
