import { hasOffset, readInstant } from '@postshelf/domain';
import * as v from 'valibot';

/** The description of the field in the API’s document. */
export const CREATED_AT =
  'When the files were made, if they are older than the library: RFC 3339, with an offset or `Z`. It becomes `created_at`; a future time counts as now.';

/** An RFC 3339 time, which is converted to milliseconds. */
export const createdAt = v.pipe(
  v.string(),
  v.rawTransform<string, number>(({ dataset, addIssue, NEVER }) => {
    const instant = hasOffset(dataset.value) ? readInstant(dataset.value, 'UTC') : null;
    if (instant !== null) return instant;
    addIssue({ message: 'must be a date and time with an offset, such as 2019-07-31T18:30:00Z.' });
    return NEVER;
  }),
);
