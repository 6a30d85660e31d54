import {
  FIRST_PUBLISHED,
  hasUnsafe,
  LAST_PUBLISHED,
  MAX_EXTERNAL_ID_LENGTH,
  MAX_MEDIA_PER_POST,
  MAX_METRIC,
  MAX_POST_TEXT_LENGTH,
  readInstant,
} from '@postshelf/domain';
import * as v from 'valibot';
import { maxCodePoints, pageQuery, rangeEnd, uuid } from './common.ts';
import { notReversed } from './range.ts';

const published_at = v.pipe(
  v.string(),
  v.rawTransform<string, number>(({ dataset, addIssue, NEVER }) => {
    const instant = readInstant(dataset.value);
    if (instant !== null && instant >= FIRST_PUBLISHED && instant <= LAST_PUBLISHED) return instant;
    addIssue({
      message:
        instant === null
          ? 'must be a date and time with its offset, such as 2026-01-31T18:30:00Z.'
          : 'must be a date from 1970 to 9999.',
    });
    return NEVER;
  }),
);

/** What no database and no UTF-8 can hold. */
const UNSTORABLE = /\0|\p{Cs}/u;

/** As people wrote it. An empty text is none. */
const text = v.nullable(
  v.pipe(
    v.string(),
    maxCodePoints(MAX_POST_TEXT_LENGTH),
    v.check((value) => !UNSTORABLE.test(value), 'must not contain null characters or unpaired surrogates.'),
    v.transform((value) => (value === '' ? null : value)),
  ),
);

const metric = v.optional(
  v.pipe(
    v.number(),
    v.check((count) => Number.isInteger(count), 'must be an integer.'),
    v.check((count) => count >= 0, 'must be at least 0.'),
    v.check((count) => count <= MAX_METRIC, `must not be greater than ${MAX_METRIC}.`),
  ),
);

/** Each may be left out. */
const metrics = v.object({
  impressions: metric,
  likes: metric,
  comments: metric,
  shares: metric,
  saves: metric,
  clicks: metric,
});

const media_content_ids = v.pipe(
  v.array(uuid),
  v.check((ids) => ids.length <= MAX_MEDIA_PER_POST, `must not have more than ${MAX_MEDIA_PER_POST} items.`),
  v.rawCheck(({ dataset, addIssue }) => {
    if (!dataset.typed) return;
    const seen = new Set<string>();
    for (const [index, id] of dataset.value.entries()) {
      if (seen.has(id))
        addIssue({
          message: 'has a duplicate value.',
          path: [{ type: 'array', origin: 'value', input: dataset.value, key: index, value: id }],
        });
      seen.add(id);
    }
  }),
);

const external_id = v.pipe(
  v.string(),
  v.check((id) => id !== '', 'is required.'),
  maxCodePoints(MAX_EXTERNAL_ID_LENGTH),
  v.check((id) => !hasUnsafe(id), 'must not contain control characters.'),
);

const said = {
  profile: uuid,
  published_at,
  text: v.optional(text),
  media_content_ids: v.optional(v.nullable(media_content_ids)),
  metrics: v.optional(v.nullable(metrics)),
};

export const newPost = v.object({ ...said, external_id: v.optional(v.nullable(external_id)) });

/** A line of an import: the network's own id makes it harmless to repeat. */
export const postLine = v.object({ ...said, external_id });

export const metricsChange = v.pipe(
  metrics,
  v.check((given) => Object.values(given).some((count) => count !== undefined), 'needs at least one metric.'),
);

export const postQuery = v.pipe(
  v.object({
    ...pageQuery,
    profile: v.optional(uuid),
    from: v.optional(rangeEnd),
    to: v.optional(rangeEnd),
  }),
  notReversed(),
);

export const post = v.object({
  id: v.string(),
  profile: v.string(),
  external_id: v.nullable(v.string()),
  published_at: v.string(),
  text: v.nullable(v.string()),
  media_content_ids: v.array(v.string()),
  metrics: v.object({
    impressions: v.number(),
    likes: v.number(),
    comments: v.number(),
    shares: v.number(),
    saves: v.number(),
    clicks: v.number(),
  }),
});
