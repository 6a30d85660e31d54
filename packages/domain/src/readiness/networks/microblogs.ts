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
import { BLUESKY, MASTODON, THREADS, X } from './sources.ts';

const CHECKED = '2026-11-22';
const SCALED = 'The network scales it.';
const ADVICE = 'The network recommends it.';

const GALLERY = 'As a gallery the network accepts up to 10, which not every app that posts there supports.';

/**
 * What every account may post according to all sources. The network's newest page allows more, and still more for
 * paying accounts.
 */
const X_BYTES = {
  ...megabytes(512),
  note: 'The network’s newest page says 8 GB: if that applies to you, set it in overrides.',
};
const X_LENGTH = {
  ...seconds(140),
  note: 'The network’s newest page says 20 minutes: if that applies to you, set it in overrides.',
};

/** The limit of the network's own app; its lexicon has none. */
const VIDEO_LENGTH = {
  ...minutes(10),
  warns: minutes(3).limit,
  doubt: 'The network’s app accepts 10 minutes; other sources say 3.',
};

export const microblogs = [
  defineTarget({
    target: 'threads.post',
    title: 'a Threads post',
    source: THREADS,
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
    source: X.media,
    checkedOn: CHECKED,
    rules: {
      type: oneOf('image/jpeg', 'image/png', 'image/webp', 'image/gif', 'video/mp4', 'video/quicktime'),
      'image.bytes.max': megabytes(5),
      'gif.bytes.max': megabytes(15),
      'image.width.min': from(X.sizes, exactly(4)),
      'image.width.max': from(X.sizes, exactly(8192)),
      'image.height.min': from(X.sizes, exactly(4)),
      'image.height.max': from(X.sizes, exactly(8192)),
      'gif.width.max': advised(exactly(1280), ADVICE),
      'gif.height.max': advised(exactly(1080), ADVICE),
      'gif.frames.max': advised(exactly(350), ADVICE),
      'video.bytes.max': from(X.sizes, X_BYTES),
      'video.codec': oneOf('avc'),
      'video.duration.min': exactly(500),
      'video.duration.max': from(X.sizes, X_LENGTH),
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
    source: BLUESKY.images,
    checkedOn: CHECKED,
    rules: {
      type: oneOf('image/jpeg', 'image/png', 'image/gif', 'image/webp', 'video/mp4'),
      'image.bytes.max': exactly(2_000_000),
      'image.width.max': from(BLUESKY.app, advised(exactly(4000), 'The network’s app scales it.')),
      'image.height.max': from(BLUESKY.app, advised(exactly(4000), 'The network’s app scales it.')),
      'video.bytes.max': from(BLUESKY.video, exactly(300_000_000)),
      'video.duration.max': from(BLUESKY.app, doubtful(VIDEO_LENGTH)),
      'image.count.max': { ...exactly(4), note: GALLERY },
      'video.count.max': from(BLUESKY.video, exactly(1)),
      kinds: from(BLUESKY.posts, oneOf('image', 'video')),
    },
  }),
  defineTarget({
    target: 'mastodon.post',
    title: 'a Mastodon post',
    source: MASTODON.media,
    checkedOn: CHECKED,
    rules: {
      type: oneOf('image/jpeg', 'image/png', 'image/gif', 'image/webp', 'video/mp4', 'video/quicktime'),
      'image.bytes.max': mebibytes(16),
      'image.area.max': from(MASTODON.areas, exactly(33_177_600)),
      'gif.area.max': from(MASTODON.areas, exactly(921_600)),
      'video.bytes.max': mebibytes(99),
      'video.area.max': exactly(8_294_400),
      'video.frame_rate.max': fps(120),
      'count.max': from(MASTODON.posts, exactly(4)),
      'video.count.max': from(MASTODON.posts, exactly(1)),
      kinds: from(MASTODON.posts, oneOf('image', 'video')),
    },
  }),
];
