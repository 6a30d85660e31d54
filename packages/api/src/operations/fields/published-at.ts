import { type FieldErrors, hasOffset, isPublishable, Refusal, readInstant, type Workspace } from '@postshelf/domain';
import * as v from 'valibot';
import { documented } from './documented.ts';

const OUT_OF_REACH = 'must be a date from 2000 to two years ahead.';

/** A day in milliseconds, which is more than the offset of any time zone. */
const DAY = 24 * 60 * 60 * 1000;

/**
 * The time at which a post was or will be published. {@link readPublishedAt} parses the text again in the workspace's
 * time zone.
 */
export const published_at = v.pipe(
  documented(v.string(), {
    description:
      "A time from the year 2000 to two years ahead. A time without an offset, such as `2026-01-31 18:30:00`, is in the workspace's time zone.",
    format: 'date-time',
    examples: ['2026-01-31T18:30:00Z'],
  }),
  v.rawCheck(({ dataset, addIssue }) => {
    if (!dataset.typed) return;
    const instant = readInstant(dataset.value, 'UTC');
    if (instant === null) return addIssue({ message: 'must be a date and time, such as 2026-01-31T18:30:00Z.' });
    const shifts = hasOffset(dataset.value) ? [0] : [-DAY, DAY];
    if (!shifts.some((shift) => isPublishable(instant + shift, Date.now()))) addIssue({ message: OUT_OF_REACH });
  }),
);

/**
 * Returns the time in milliseconds since 1970. Returns errors if the time is too early or too late, which may depend on
 * the time zone.
 */
export function readPublishedAt(text: string, { timezone }: Pick<Workspace, 'timezone'>): number | FieldErrors {
  const instant = readInstant(text, timezone);
  return instant !== null && isPublishable(instant, Date.now())
    ? instant
    : { published_at: [`The published at field ${OUT_OF_REACH}`] };
}

/** Like {@link readPublishedAt}, but throws the errors. @throws Refusal `invalid` */
export function publishedAtOf(text: string, workspace: Pick<Workspace, 'timezone'>): number {
  const read = readPublishedAt(text, workspace);
  if (typeof read !== 'number') throw new Refusal({ code: 'invalid', errors: read });
  return read;
}
