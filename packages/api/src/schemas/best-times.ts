import * as v from 'valibot';
import { rangeEnd, uuid } from './common.ts';
import { notReversed } from './range.ts';

const fields = v.object({
  from: v.optional(rangeEnd),
  to: v.optional(rangeEnd),
  profile: v.optional(uuid),
  workspace: v.optional(uuid),
});

const OTHER = { profile: 'workspace', workspace: 'profile' } as const;

/** Exactly one of `profile` and `workspace`; else both fields fail, whatever else is wrong with them. */
const exactlyOne = v.rawCheck<v.InferOutput<typeof fields>>(({ dataset, addIssue }) => {
  // Fields that failed already stand here as they were given.
  const input = dataset.value as { readonly profile?: unknown; readonly workspace?: unknown };
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

/** From midnight. */
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

/** BestTimesResource of the interface; `meta` is an extension. */
export const bestTimesResult = v.object({
  data: v.object({ heatmap: week }),
  meta: v.object({
    timezone: v.string(),
    from: v.string(),
    to: v.string(),
    posts: v.number(),
    counts: week,
    best: v.array(v.object({ day: v.picklist(DAYS), hour: v.number(), value: v.number(), posts: v.number() })),
  }),
});
