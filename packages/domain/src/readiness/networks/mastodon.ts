import { defineTarget } from '../define-target.ts';
import { exactly, fps, from, mebibytes, oneOf } from '../limits.ts';
import { MASTODON } from './sources.ts';

const CHECKED = '2026-11-22';

export const mastodon = [
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
