import { defineTarget } from '../define-target.ts';
import {
  advised,
  aspect,
  atLeastKilobytes,
  doubtful,
  exactly,
  from,
  gigabytes,
  megabytes,
  minutes,
  oneOf,
  seconds,
} from '../limits.ts';

const LINKEDIN = 'https://learn.microsoft.com/en-us/linkedin/marketing/community-management/shares';
const PINTEREST = 'https://help.pinterest.com/en/business/article/pinterest-product-specs';
const PINS = 'https://developers.pinterest.com/docs/api/v5/pins-create/';
const BUSINESS = 'https://support.google.com/business/answer/6103862';
const BUSINESS_CODE =
  'https://github.com/gitroomhq/postiz-app/blob/main/libraries/nestjs-libraries/src/integrations/social/gmb.provider.ts';
const CHECKED = '2026-11-22';

const POST_SIZE = 'Photos of posts are asked to have 400 × 300 pixels.';

export const pagesAndPins = [
  defineTarget({
    target: 'linkedin.post',
    title: 'a LinkedIn post',
    source: `${LINKEDIN}/videos-api`,
    checkedOn: CHECKED,
    rules: {
      type: from(`${LINKEDIN}/images-api`, oneOf('image/jpeg', 'image/png', 'image/gif', 'video/mp4')),
      'image.area.max': from(`${LINKEDIN}/images-api`, exactly(36_152_319)),
      'gif.frames.max': from(`${LINKEDIN}/images-api`, exactly(250)),
      'video.bytes.min': atLeastKilobytes(75),
      'video.bytes.max': megabytes(500),
      'video.duration.min': seconds(3),
      'video.duration.max': minutes(30),
      'image.count.max': from(`${LINKEDIN}/multiimage-post-api`, exactly(20)),
      'video.count.max': exactly(1),
      kinds: from(`${LINKEDIN}/multiimage-post-api`, oneOf('image', 'video')),
    },
  }),
  defineTarget({
    target: 'pinterest.pin',
    title: 'a pin on Pinterest',
    source: PINTEREST,
    checkedOn: CHECKED,
    rules: {
      type: oneOf('image/jpeg', 'image/png', 'video/mp4', 'video/quicktime'),
      'image.bytes.max': { ...doubtful(megabytes(20)), note: 'By its apps the network takes 32 MB.' },
      'video.bytes.max': gigabytes(2),
      'video.codec': oneOf('avc', 'hevc'),
      'video.duration.min': seconds(4),
      'video.duration.max': minutes(15),
      'video.aspect.min': aspect('1:2'),
      'video.aspect.max': aspect('1.91:1'),
      'count.min': exactly(1),
      'count.max': from(PINS, exactly(5)),
      'video.count.max': from(PINS, exactly(1)),
      'image.count.min': from(PINS, {
        ...advised(exactly(1), 'It is the cover of the video, for which a picture out of it can be named too.'),
        beside: 'video',
        remedy: 'Add an image as the cover.',
      }),
      'image.count.max': from(PINS, { ...exactly(1), beside: 'video', note: 'It is the cover of the video.' }),
      equal_size: from(PINS, { limit: true }),
    },
  }),
  defineTarget({
    target: 'google_business.post',
    title: 'a post on a Google Business Profile',
    source: BUSINESS,
    checkedOn: CHECKED,
    rules: {
      type: oneOf('image/jpeg', 'image/png', 'video/mp4', 'video/quicktime'),
      'image.bytes.min': atLeastKilobytes(10),
      'image.bytes.max': megabytes(5),
      'image.width.min': { ...exactly(250), warns: { n: 400, d: 1 }, doubt: POST_SIZE },
      'image.height.min': { ...exactly(250), warns: { n: 300, d: 1 }, doubt: POST_SIZE },
      'video.bytes.max': megabytes(75),
      'video.duration.max': seconds(30),
      'video.height.min': doubtful(exactly(720)),
      'count.max': from(BUSINESS_CODE, exactly(1)),
    },
  }),
];
