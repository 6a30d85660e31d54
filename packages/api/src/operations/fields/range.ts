import { hasOffset, invalid, readRangeEnd } from '@postshelf/domain';
import * as v from 'valibot';
import { documented } from './documented.ts';

export const RANGE_END =
  "A date means that whole day in the workspace's time zone; a time without an offset is in that time zone.";

/** An end of a range. {@link readRange} parses it again, in the workspace's time zone. */
export const rangeEnd = v.pipe(
  documented(v.string(), {
    description: RANGE_END,
    examples: ['2026-11-21', '2026-11-21 18:30:00', '2026-11-21T18:30', '2026-11-21T18:30:00+01:00'],
  }),
  v.check((text) => readRangeEnd(text, 'from', 'UTC') !== null, 'must be a valid date.'),
);

export const TO_BEFORE_FROM = 'must be a date after or equal to from.';

interface GivenRange {
  readonly from?: string | undefined;
  readonly to?: string | undefined;
}

/**
 * Refuses a reversed range if that can be known without a time zone: when both ends have an offset, or neither does.
 */
export const notReversed = <Query extends GivenRange>() =>
  v.rawCheck<Query>(({ dataset, addIssue }) => {
    // Even after an end has failed, the dataset contains the value that the caller sent.
    const input = dataset.value as Readonly<Record<string, unknown>> | null | undefined;
    if (input === null || input === undefined) return;
    const { from, to } = input;
    if (typeof from !== 'string' || typeof to !== 'string' || !isReversed(from, to)) return;
    addIssue({ message: TO_BEFORE_FROM, path: [{ type: 'object', origin: 'value', input, key: 'to', value: to }] });
  });

function isReversed(from: string, to: string): boolean {
  if (hasOffset(from) !== hasOffset(to)) return false;
  const start = readRangeEnd(from, 'from', 'UTC');
  const end = readRangeEnd(to, 'to', 'UTC');
  return start !== null && end !== null && end < start;
}

/** Returns the range in milliseconds. @throws Refusal `invalid` on `to` when the range is reversed */
export function readRange(range: GivenRange, zone: string): { from?: number; to?: number } {
  const from = range.from === undefined ? null : readRangeEnd(range.from, 'from', zone);
  const to = range.to === undefined ? null : readRangeEnd(range.to, 'to', zone);
  if (from !== null && to !== null && to < from) throw invalid('to', `The to field ${TO_BEFORE_FROM}`);
  return { ...(from !== null && { from }), ...(to !== null && { to }) };
}
