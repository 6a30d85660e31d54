import { METHODS } from '@postshelf/domain';
import * as v from 'valibot';
import { documented } from '../fields/documented.ts';
import { notReversed, RANGE_END, rangeEnd } from '../fields/range.ts';
import { integer, uuidOf } from '../fields/values.ts';

const fields = v.object({
  from: v.optional(
    documented(rangeEnd, {
      description: `Start of the window; 90 days before its end unless it is given. ${RANGE_END}`,
    }),
  ),
  to: v.optional(
    documented(rangeEnd, {
      description: `End of the window, not before \`from\`; now unless it is given. ${RANGE_END}`,
    }),
  ),
  profile: v.optional(uuidOf('Exactly one of `profile` and `workspace`.')),
  workspace: v.optional(uuidOf('Exactly one of `profile` and `workspace`.')),
  method: v.optional(
    documented(v.picklist(METHODS), {
      description: '`hourly` unless it is given; `smoothed` gives the hours around a post a share in it.',
      'x-extension': true,
    }),
  ),
});

const OTHER = { profile: 'workspace', workspace: 'profile' } as const;

/** Otherwise both fields fail, whatever else is wrong with them. */
const exactlyOne = v.rawCheck<v.InferOutput<typeof fields>>(({ dataset, addIssue }) => {
  // Fields that failed already are still as the caller sent them.
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

export const bestTimesQuery = v.pipe(fields, exactlyOne, notReversed());

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

/** The heatmap alone is the published resource; `meta` is an extension. */
const result = v.object({
  data: documented(
    v.object({
      heatmap: documented(week, {
        description: "Each day's hours from midnight. 100 is the profile's average; every cell is 0 without posts.",
      }),
    }),
    { title: 'BestTimesResource' },
  ),
  meta: documented(
    v.object({
      timezone: documented(v.string(), { description: "The workspace's IANA time zone, which the hours are in." }),
      from: documented(v.string(), { description: 'Start of the window, in UTC.', format: 'date-time' }),
      to: documented(v.string(), { description: 'End of the window, included.', format: 'date-time' }),
      posts: integer('Posts in the window.'),
      counts: documented(week, { description: 'Posts behind each cell.' }),
      best: documented(
        v.array(v.object({ day: v.picklist(DAYS), hour: integer(), value: v.number(), posts: integer() })),
        { description: 'The highest cells above 100 that have at least 3 posts, at most five, best first.' },
      ),
    }),
    { title: 'BestTimesMeta', 'x-extension': true },
  ),
});

export const bestTimesResult = documented(result, { title: 'BestTimes' });
