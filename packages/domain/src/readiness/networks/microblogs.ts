import { defineTarget } from '../define-target.ts';
import {
  advised,
  aspect,
  doubtful,
  exactly,
  fps,
  from,
  gigabytes,
  mebibytes,
  megabits,
  megabytes,
  minutes,
  oneOf,
  seconds,
} from '../limits.ts';
import { META_VIDEO } from './instagram.ts';

const X_IMAGES = 'https://docs.x.com/x-api/media/quickstart/best-practices';
const X_SIZES = 'https://docs.getlate.dev/resources/media-guidelines/twitter';
const LEXICONS = 'https://github.com/bluesky-social/atproto/blob/main/lexicons/app/bsky/embed';
const BLUESKY_VIDEO = 'https://www.ayrshare.com/docs/media-guidelines/bluesky.md';
const MASTODON = 'https://github.com/mastodon/mastodon/blob/main/app/models';
const MASTODON_POSTS = 'https://github.com/mastodon/mastodon/blob/main/app/services/post_status_service.rb';
const CHECKED = '2026-11-22';
const SCALED = 'The network scales it.';
const ADVICE = 'The network recommends it.';

export const microblogs = [
  defineTarget({
    target: 'threads.post',
    title: 'a Threads post',
    source: 'https://developers.facebook.com/docs/threads/overview/',
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
    },
  }),
  defineTarget({
    target: 'x.post',
    title: 'an X post',
    source: X_IMAGES,
    checkedOn: CHECKED,
    rules: {
      type: oneOf('image/jpeg', 'image/png', 'image/webp', 'image/gif', 'video/mp4', 'video/quicktime'),
      'image.bytes.max': megabytes(5),
      'gif.bytes.max': megabytes(15),
      'image.width.min': from(X_SIZES, exactly(4)),
      'image.width.max': from(X_SIZES, exactly(8192)),
      'image.height.min': from(X_SIZES, exactly(4)),
      'image.height.max': from(X_SIZES, exactly(8192)),
      'gif.width.max': advised(exactly(1280), ADVICE),
      'gif.height.max': advised(exactly(1080), ADVICE),
      'gif.frames.max': advised(exactly(350), ADVICE),
      'video.bytes.max': megabytes(512),
      'video.codec': oneOf('avc'),
      'video.duration.min': exactly(500),
      'video.duration.max': { ...seconds(140), note: 'Some accounts may post longer ones.' },
      'video.aspect.min': aspect('1:3'),
      'video.aspect.max': aspect('3:1'),
      'video.frame_rate.max': fps(60),
      'image.count.max': exactly(4),
      'gif.count.max': exactly(1),
      'video.count.max': exactly(1),
      kinds: oneOf('image', 'gif', 'video'),
    },
  }),
  defineTarget({
    target: 'bluesky.post',
    title: 'a Bluesky post',
    source: `${LEXICONS}/images.json`,
    checkedOn: CHECKED,
    rules: {
      type: oneOf('image/jpeg', 'image/png', 'image/gif', 'image/webp', 'video/mp4'),
      'image.bytes.max': exactly(2_000_000),
      'image.width.max': doubtful(exactly(4000)),
      'image.height.max': doubtful(exactly(4000)),
      'video.bytes.max': from(`${LEXICONS}/video.json`, exactly(300_000_000)),
      'video.duration.max': from(BLUESKY_VIDEO, doubtful(minutes(3))),
      'image.count.max': exactly(4),
      'video.count.max': from(`${LEXICONS}/video.json`, exactly(1)),
      kinds: oneOf('image', 'video'),
    },
  }),
  defineTarget({
    target: 'mastodon.post',
    title: 'a Mastodon post',
    source: `${MASTODON}/media_attachment.rb`,
    checkedOn: CHECKED,
    rules: {
      type: oneOf('image/jpeg', 'image/png', 'image/gif', 'image/webp', 'video/mp4', 'video/quicktime'),
      'image.bytes.max': mebibytes(16),
      'image.area.max': from(`${MASTODON}/concerns/attachmentable.rb`, exactly(33_177_600)),
      'gif.area.max': from(`${MASTODON}/concerns/attachmentable.rb`, exactly(921_600)),
      'video.bytes.max': mebibytes(99),
      'video.area.max': exactly(8_294_400),
      'video.frame_rate.max': fps(120),
      'count.max': from(MASTODON_POSTS, exactly(4)),
      'video.count.max': from(MASTODON_POSTS, exactly(1)),
      kinds: from(MASTODON_POSTS, oneOf('image', 'video')),
    },
  }),
];
