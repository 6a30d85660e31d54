import { defineTarget } from '../define-target.ts';
import {
  advised,
  aspect,
  atLeastKilobytes,
  doubtful,
  exactly,
  from,
  gigabytes,
  type LimitSpec,
  megabytes,
  minutes,
  oneOf,
  seconds,
} from '../limits.ts';
import { GOOGLE_BUSINESS, LINKEDIN, PINTEREST, RELAYAPI } from './sources.ts';

const CHECKED = '2026-11-22';

/** The network's own pages couldn't be opened, and third-party pages differ, so all of its limits are doubtful. */
const unofficial = (spec: LimitSpec): LimitSpec => doubtful(spec, 'Only third parties say so.');

const SMALLER = { fails: exactly(250).limit, doubt: 'Third parties say that photos of 250 × 250 pixels are enough.' };
const SMALL_VIDEO = { warns: megabytes(26).limit, doubt: 'Third parties say that the network accepts 26 MB at most.' };

export const pagesAndPins = [
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
  defineTarget({
    target: 'google_business.post',
    title: 'a post on a Google Business Profile',
    source: GOOGLE_BUSINESS.media,
    checkedOn: CHECKED,
    rules: {
      type: unofficial(oneOf('image/jpeg', 'image/png', 'video/mp4', 'video/quicktime')),
      'image.bytes.min': unofficial(atLeastKilobytes(10)),
      'image.bytes.max': unofficial(megabytes(5)),
      'image.width.min': from(GOOGLE_BUSINESS.posts, unofficial({ ...exactly(400), ...SMALLER })),
      'image.height.min': from(GOOGLE_BUSINESS.posts, unofficial({ ...exactly(300), ...SMALLER })),
      'video.bytes.max': from(RELAYAPI, unofficial({ ...megabytes(75), ...SMALL_VIDEO })),
      'video.duration.max': unofficial(seconds(30)),
      'video.height.min': doubtful(exactly(720)),
      'count.max': from(GOOGLE_BUSINESS.counts, unofficial(exactly(1))),
    },
  }),
];
