import { defineTarget } from '../define-target.ts';
import { advised, exactly, from, minutes, oneOf } from '../limits.ts';
import { BLUESKY } from './sources.ts';

const CHECKED = '2026-11-22';

const GALLERY = 'The network accepts up to 10 as a gallery, but not every app that posts there supports galleries.';

export const bluesky = [
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
      'video.duration.max': from(BLUESKY.app, minutes(10)),
      'image.count.max': { ...exactly(4), note: GALLERY },
      'video.count.max': from(BLUESKY.video, exactly(1)),
      kinds: from(BLUESKY.posts, oneOf('image', 'video')),
    },
  }),
];
