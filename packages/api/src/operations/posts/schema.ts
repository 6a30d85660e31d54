import {
  type EventPost,
  hasUnsafe,
  MAX_EXTERNAL_ID_LENGTH,
  MAX_MEDIA_PER_POST,
  MAX_METRIC,
  MAX_POST_TEXT_LENGTH,
  type Post,
} from '@postshelf/domain';
import * as v from 'valibot';
import { documented } from '../fields/documented.ts';
import { published_at } from '../fields/published-at.ts';
import { notReversed, RANGE_END, rangeEnd } from '../fields/range.ts';
import {
  includeOf,
  integer,
  listOf,
  maxCodePoints,
  noneTwice,
  objectOf,
  showTime,
  uuid,
  uuidOf,
} from '../fields/values.ts';
import { pageQuery, pageWith } from '../pagination.ts';
import { readiness } from '../readiness/schema.ts';

/**
 * Matches characters that a text may not contain: unpaired surrogates, and control characters except tabs and line
 * ends. Each of these characters would take six bytes in JSON.
 */
const NO_TEXT = /\p{Cs}|(?![\t\n\r])\p{Cc}/u;

/** The text of a post, which is stored as it was written. An empty text becomes null. */
const text = v.nullable(
  v.pipe(
    documented(v.string(), { maxLength: MAX_POST_TEXT_LENGTH, examples: ['Sun is out!'] }),
    maxCodePoints(MAX_POST_TEXT_LENGTH),
    v.check((value) => !NO_TEXT.test(value), 'must not contain control characters or unpaired surrogates.'),
    v.transform((value) => (value === '' ? null : value)),
  ),
);

/** A metric. Null counts as absent: networks and typed programs send it for a metric that they don't know. */
const metric = v.optional(
  v.pipe(
    v.nullable(
      v.pipe(
        v.number(),
        v.integer('must be an integer.'),
        v.minValue(0, 'must be at least 0.'),
        v.maxValue(MAX_METRIC, `must not be greater than ${MAX_METRIC}.`),
      ),
    ),
    v.transform((count) => count ?? undefined),
  ),
);

const metrics = documented(
  objectOf({
    impressions: metric,
    likes: metric,
    comments: metric,
    shares: metric,
    saves: metric,
    clicks: metric,
  }),
  { title: 'PostMetricsChange', description: 'Each is optional. Null counts as absent.' },
);

const media_content_ids = v.pipe(
  documented(listOf(uuid, MAX_MEDIA_PER_POST), {
    description: 'Ids of `active` media items of the same workspace, each only once.',
  }),
  noneTwice(MAX_MEDIA_PER_POST),
);

const external_id = v.pipe(
  documented(v.string(), {
    description: "The network's own id of the post, unique within the profile.",
    maxLength: MAX_EXTERNAL_ID_LENGTH,
    examples: ['17912345678901234'],
  }),
  v.nonEmpty('is required.'),
  maxCodePoints(MAX_EXTERNAL_ID_LENGTH),
  v.check((id) => !hasUnsafe(id), 'must not contain control characters.'),
);

const postFields = {
  profile: uuidOf('A profile of the workspace.'),
  published_at,
  text: v.optional(text),
  media_content_ids: v.optional(v.nullable(media_content_ids)),
  metrics: v.optional(v.nullable(metrics)),
};

const include = includeOf(
  ['readiness'],
  '`readiness`: whether the media are ready for the targets of the profile’s network.',
);

export const newPost = documented(
  v.object({ ...postFields, external_id: v.optional(v.nullable(external_id)), include: v.optional(include) }),
  {
    title: 'NewPost',
  },
);

export const postChange = documented(
  v.object({
    published_at: v.optional(published_at),
    text: postFields.text,
    media_content_ids: postFields.media_content_ids,
    metrics: postFields.metrics,
    external_id: v.optional(v.nullable(external_id)),
  }),
  { title: 'PostChange', description: 'Absent fields stay as they are.' },
);

/** A line of an import. The line contains the network's own id of the post, so that repeating an import is harmless. */
export const postLine = documented(v.object({ ...postFields, external_id }), { title: 'PostLine' });

export const metricsChange = v.pipe(
  metrics,
  v.check((given) => Object.values(given).some((count) => count !== undefined), 'Send at least one metric.'),
);

export const postQuery = v.pipe(
  v.object({
    ...pageQuery,
    profile: v.optional(uuidOf('Only posts of this profile.')),
    media_content_id: v.optional(uuidOf('Only posts that use this media item.')),
    from: v.optional(documented(rangeEnd, { description: `Only posts published at this time or later. ${RANGE_END}` })),
    to: v.optional(documented(rangeEnd, { description: `Only posts published at this time or earlier. ${RANGE_END}` })),
  }),
  notReversed(),
);

export const post = documented(
  v.object({
    id: documented(v.string(), { format: 'uuid' }),
    profile: documented(v.string(), { format: 'uuid' }),
    external_id: v.nullable(v.string()),
    published_at: documented(v.string(), { description: 'In UTC.', format: 'date-time' }),
    text: v.nullable(v.string()),
    media_content_ids: v.array(documented(v.string(), { format: 'uuid' })),
    metrics: documented(
      v.object({
        impressions: integer(),
        likes: integer(),
        comments: integer(),
        shares: integer(),
        saves: integer(),
        clicks: integer(),
      }),
      { title: 'PostMetrics' },
    ),
  }),
  { title: 'PostResource', description: 'A post that was published or is planned, and how it performed.' },
);

export const createdPost = documented(
  v.object({
    ...post.entries,
    readiness: v.optional(
      documented(v.nullable(v.array(readiness)), {
        description:
          'Only with `include=readiness`: whether the media are ready for each target of the profile’s network; null for a network without rules.',
        'x-extension': true,
      }),
    ),
  }),
  { title: 'CreatedPostResource', description: 'The post, and what `include` asks for.' },
);

const cut_texts = documented(v.array(documented(v.string(), { format: 'uuid' })), {
  description:
    'Posts whose `text` is cut to the first 10,000 characters; `GET /posts/{id}` returns the whole text. Absent if no text is cut.',
});

export const postPage = pageWith(post, 'PostPage', { cut_texts: v.optional(cut_texts) });

export const importReport = documented(
  v.object({
    lines: integer('Number of lines that are not blank.'),
    created: integer(),
    updated: integer('Number of existing posts that a line changed.'),
    unchanged: integer(),
    rejected: integer(),
    rejections: documented(
      v.array(
        v.object({
          line: integer('Number of the line, from 1, counting blank lines.'),
          message: v.string(),
          errors: documented(v.record(v.string(), v.array(v.string())), {
            description:
              'What is wrong with each invalid field, by the field’s name; `line` stands for the line itself.',
          }),
        }),
      ),
      { description: 'The first hundred rejected lines.' },
    ),
  }),
  { title: 'PostImportReport' },
);

/** Returns a post in the form that answers show (docs/api.md, "Posts"). */
export const showPost = (post: Post) => ({ ...showEventPost(post), text: post.text });

/** Returns a post in the form that events show, without its text. */
export const showEventPost = ({ id, profileId, externalId, publishedAt, mediaIds, metrics }: EventPost) => ({
  id,
  profile: profileId,
  external_id: externalId,
  published_at: showTime(publishedAt),
  media_content_ids: [...mediaIds],
  metrics,
});
