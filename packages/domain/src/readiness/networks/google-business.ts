import { defineTarget } from '../define-target.ts';
import { atLeastKilobytes, doubtful, exactly, from, type LimitSpec, megabytes, oneOf, seconds } from '../limits.ts';
import { GOOGLE_BUSINESS, RELAYAPI } from './sources.ts';

const CHECKED = '2026-11-22';

/** The network's own pages couldn't be opened, and third-party pages differ, so all of its limits are doubtful. */
const unofficial = (spec: LimitSpec): LimitSpec => doubtful(spec, 'Only third parties say so.');

const SMALLER = { fails: exactly(250).limit, doubt: 'Third parties say that photos of 250 × 250 pixels are enough.' };

const SMALL_VIDEO = { warns: megabytes(26).limit, doubt: 'Third parties say that the network accepts 26 MB at most.' };

export const googleBusiness = [
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
