import {
  EVIDENCE,
  KINDS,
  MAX_EXCLUSIONS_LENGTH,
  MAX_LEARNT_POSTS,
  METHODS,
  MIN_AGE_HOURS,
  MIN_POSTS,
  readExclusions,
  SLOTS,
} from '@postshelf/domain';
import * as v from 'valibot';
import { documented } from '../fields/documented.ts';
import { notReversed, RANGE_END, rangeEnd } from '../fields/range.ts';
import { dateTime, integer, uuidOf } from '../fields/values.ts';

const scope = {
  profile: v.optional(uuidOf('Pass exactly one of `profile` and `workspace`.')),
  workspace: v.optional(uuidOf('Pass exactly one of `profile` and `workspace`.')),
};

const fields = v.object({
  from: v.optional(
    documented(rangeEnd, {
      description: `Start of the window; 90 days before its end if omitted. ${RANGE_END}`,
    }),
  ),
  to: v.optional(
    documented(rangeEnd, {
      description: `End of the window, not before \`from\`; now if omitted. ${RANGE_END}`,
    }),
  ),
  ...scope,
  method: v.optional(
    documented(v.picklist(METHODS), {
      description:
        'The default, `estimate`, combines the posts of an hour with those of similar hours. `average` is the plain mean of each hour, pulled towards 100 with the weight of five posts.',
      'x-extension': true,
    }),
  ),
});

interface Scoped {
  readonly profile?: unknown;
  readonly workspace?: unknown;
}

const OTHER = { profile: 'workspace', workspace: 'profile' } as const;

/** Requires exactly one of `profile` and `workspace`. Otherwise both fields fail, whatever else is wrong with them. */
const exactlyOne = <Query extends Scoped>() =>
  v.rawCheck<Query>(({ dataset, addIssue }) => {
    // Even after some fields have failed, the dataset contains the values that the caller sent.
    const input = dataset.value as { readonly profile?: unknown; readonly workspace?: unknown } | null | undefined;
    if (input === null || input === undefined) return;
    const hasBoth = input.profile !== undefined && input.workspace !== undefined;
    const hasNone = input.profile === undefined && input.workspace === undefined;
    if (!hasBoth && !hasNone) return;
    for (const field of ['profile', 'workspace'] as const) {
      const other = OTHER[field];
      const message = hasNone
        ? `is required when ${other} is not present.`
        : `must not be present when ${other} is present.`;
      addIssue({
        message,
        path: [{ type: 'object', origin: 'value', input: { ...input }, key: field, value: input[field] }],
      });
    }
  });

export const bestTimesQuery = v.pipe(fields, exactlyOne(), notReversed());

const hours = v.pipe(v.array(v.number()), v.length(24));

export const DAYS = ['Sunday', 'Monday', 'Tuesday', 'Wednesday', 'Thursday', 'Friday', 'Saturday'] as const;

const week = v.object({
  Sunday: hours,
  Monday: hours,
  Tuesday: hours,
  Wednesday: hours,
  Thursday: hours,
  Friday: hours,
  Saturday: hours,
});

export type WeekResource = v.InferOutput<typeof week>;

const evidence = documented(v.picklist(EVIDENCE), {
  description:
    'How probable it is that the five best hours gain at least 5 % on average: `strong` from 0.975, `fair` from 0.9, `weak` from 0.8, otherwise `none`.',
});

/** Only the heatmap belongs to the published interface; `meta` is an extension. */
const result = v.object({
  data: documented(
    v.object({
      heatmap: documented(week, {
        description:
          "The scores of each day's hours, from midnight. 100 is the profile's average. If there are no posts to learn from, every cell is 0.",
      }),
    }),
    { title: 'BestTimesResource' },
  ),
  meta: documented(
    v.object({
      timezone: documented(v.string(), { description: 'The IANA time zone of the workspace and of all hours.' }),
      from: documented(v.string(), { description: 'Start of the window, in UTC.', format: 'date-time' }),
      to: documented(v.string(), { description: 'End of the window, inclusive.', format: 'date-time' }),
      posts: integer('Posts that the cells are learned from; with `method=average`, all posts in the window.'),
      counts: documented(week, { description: 'How many of these posts were published in each hour.' }),
      best: documented(
        v.array(v.object({ day: v.picklist(DAYS), hour: integer(), value: v.number(), posts: integer() })),
        {
          description:
            'At most five hours, best first: the highest cells that are above 100 and have at least 3 posts.',
        },
      ),
      low: v.optional(
        documented(week, { description: 'Lower end of the 90 % interval of each cell; absent with `method=average`.' }),
      ),
      high: v.optional(documented(week, { description: 'Upper end of the 90 % interval of each cell.' })),
      evidence: v.optional(evidence),
      posts_left_out: v.optional(
        integer(
          `Posts in the window that the cells aren't learned from: posts younger than ${MIN_AGE_HOURS} hours, of profiles with fewer than ${MIN_POSTS} posts, or older than the newest ${MAX_LEARNT_POSTS.toLocaleString('en-US')} of a profile.`,
        ),
      ),
    }),
    { title: 'BestTimesMeta', 'x-extension': true },
  ),
});

export const bestTimesResult = documented(result, { title: 'BestTimes' });

const DIGITS = /^\d{1,6}$/;

const wholeNumber = (description: string, min: number, max: number, usual: number) =>
  v.optional(
    v.pipe(
      documented(v.union([v.number(), v.string()], 'must be an integer.'), {
        type: 'integer',
        description,
        minimum: min,
        maximum: max,
        default: usual,
      }),
      v.check(
        (value) => Number.isInteger(typeof value === 'number' || DIGITS.test(value) ? Number(value) : Number.NaN),
        'must be an integer.',
      ),
      v.transform(Number),
      v.check((value) => value >= min && value <= max, `must be between ${min} and ${max}.`),
    ),
    usual,
  );

const MAX_GAP = SLOTS.mostDays * 24 * 60;

/** Options that determine which times are suggested. */
export const slotWishes = {
  count: wholeNumber('Maximum number of slots.', 1, SLOTS.mostCount, SLOTS.count),
  min_gap_minutes: wholeNumber(
    'Minimum minutes between two slots, and between a slot and a planned post.',
    0,
    MAX_GAP,
    SLOTS.minGapMinutes,
  ),
  exclude: v.optional(
    v.pipe(
      documented(v.union([v.string(), v.array(v.string())]), {
        type: 'string',
        description: 'Days and hours without slots, separated by commas. A range includes its first and its last hour.',
        examples: ['Sunday', 'Mon 0-6,22-5'],
        maxLength: MAX_EXCLUSIONS_LENGTH,
      }),
      v.transform((given) => [given].flat().join()),
      v.check((text) => readExclusions(text) !== null, 'must be days and hours, such as "Sunday, Mon 0-6".'),
    ),
  ),
};

export const slotsQuery = v.pipe(
  v.object({
    ...scope,
    from: v.optional(
      documented(rangeEnd, { description: `Start of the window; now if omitted or in the past. ${RANGE_END}` }),
    ),
    to: v.optional(
      documented(rangeEnd, {
        description: `End of the window, at most ${SLOTS.mostDays} days ahead; ${SLOTS.days} days after \`from\` if omitted. ${RANGE_END}`,
      }),
    ),
    ...slotWishes,
  }),
  exactlyOne(),
  notReversed(),
);

const slot = v.object({
  at: dateTime("Start of an hour, with the offset of the workspace's time zone."),
  day: v.picklist(DAYS),
  hour: integer('0 to 23, local.'),
  score: documented(v.number(), {
    description:
      'The hour’s cell in a heatmap from `learned_from` to `learned_to`: 144 means 44 % above average, and 0 that there is nothing to learn from.',
  }),
  low: documented(v.number(), { description: 'Lower end of the 90 % interval of `score`.' }),
  high: documented(v.number(), { description: 'Upper end of that interval.' }),
  posts: integer('Number of posts in this hour of the week that the score was learned from.'),
  kind: documented(v.picklist(KINDS), {
    description: '`proven` if `low` is above 100; otherwise `explore`, an hour that is worth a try.',
  }),
  reason: v.string(),
});

export const slotsResult = documented(
  v.object({
    data: documented(v.array(documented(slot, { title: 'Slot' })), { description: 'Best first.' }),
    meta: v.object({
      timezone: v.string(),
      from: dateTime('Start of the window.'),
      to: dateTime('End of the window, inclusive.'),
      learned_from: dateTime('Start of the 365-day window whose posts the slots were learned from.'),
      learned_to: dateTime(`End of that window: ${MIN_AGE_HOURS} hours ago.`),
      posts: integer('Number of posts that the slots were learned from.'),
      evidence,
    }),
  }),
  { title: 'Slots', 'x-extension': true },
);
