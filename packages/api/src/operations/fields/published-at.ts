import { isPublishable, readInstant } from '@postshelf/domain';
import * as v from 'valibot';
import { documented } from './documented.ts';

/** When a post was published, or will be: read as milliseconds since 1970. */
export const published_at = v.pipe(
  documented(v.string(), {
    description: 'From 2000 to two years ahead.',
    format: 'date-time',
    examples: ['2026-01-31T18:30:00Z'],
  }),
  v.rawTransform<string, number>(({ dataset, addIssue, NEVER }) => {
    const instant = readInstant(dataset.value);
    if (instant !== null && isPublishable(instant, Date.now())) return instant;
    addIssue({
      message:
        instant === null
          ? 'must be a date and time with its offset, such as 2026-01-31T18:30:00Z.'
          : 'must be a date from 2000 to two years ahead.',
    });
    return NEVER;
  }),
);
