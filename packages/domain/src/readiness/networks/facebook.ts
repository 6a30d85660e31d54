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

const PHOTOS = 'https://developers.facebook.com/docs/graph-api/reference/page/photos/';
const VIDEOS = 'https://developers.facebook.com/docs/video-api/guides/publishing';
const REELS = 'https://developers.facebook.com/docs/video-api/guides/reels-publishing';
const STORIES = 'https://developers.facebook.com/docs/page-stories-api';
const POSTING_CODE =
  'https://github.com/gitroomhq/postiz-app/blob/main/libraries/nestjs-libraries/src/integrations/social/facebook.provider.ts';
const CHECKED = '2026-11-22';

/** The page says 10 MB; an error of the API itself asks for less than 4. */
const IMAGE_BYTES = {
  ...megabytes(10),
  warns: { n: 4_000_000, d: 1 },
  doubt: 'The network documents 10 MB, but its API has refused images above 4 MB.',
};

/** Films are made for 24 frames a second, and broadcast at 24000/1001. */
const FILM_RATE = {
  ...fps(24),
  fails: { n: 23_976, d: 1 },
  doubt: 'A rate of 23.976 is called 24 as well.',
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
  'video.bytes.max': from(POSTING_CODE, doubtful(gigabytes(1))),
  'video.type': advised(oneOf('video/mp4'), 'The network recommends MP4.'),
} as const satisfies TargetSpec['rules'];

export const facebook = [
  defineTarget({
    target: 'facebook.post',
    title: 'a Facebook post',
    source: PHOTOS,
    checkedOn: CHECKED,
    rules: {
      type: oneOf('image/jpeg', 'image/png', 'image/gif', 'video/mp4', 'video/quicktime'),
      'image.bytes.max': from(POSTING_CODE, IMAGE_BYTES),
      'video.bytes.max': from(VIDEOS, doubtful(gigabytes(1))),
      'video.duration.max': from(VIDEOS, doubtful(minutes(240))),
      'image.count.max': exactly(10),
      'video.count.max': from(VIDEOS, exactly(1)),
      kinds: from(VIDEOS, oneOf('image', 'video')),
    },
  }),
  defineTarget({
    target: 'facebook.reel',
    title: 'a Facebook reel',
    source: REELS,
    checkedOn: CHECKED,
    rules: {
      type: oneOf('video/mp4', 'video/quicktime'),
      ...REEL,
      'video.duration.max': seconds(90),
      'count.min': exactly(1),
      'count.max': exactly(1),
    },
  }),
  defineTarget({
    target: 'facebook.story',
    title: 'a Facebook story',
    source: STORIES,
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
