import { invalid, readRangeEnd } from '@postshelf/domain';

export const TO_BEFORE_FROM = 'must be a date after or equal to from.';

const CARRIES_OFFSET = /(?:[Zz]|[+-]\d{2}:\d{2})$/;

/**
 * Whether `to` comes before `from`, as far as that can be told without a time zone: when both carry an offset or
 * neither does. {@link readRange} tells the rest.
 */
export const isReversed = ({ from, to }: { from?: string | undefined; to?: string | undefined }): boolean => {
  if (from === undefined || to === undefined || CARRIES_OFFSET.test(from) !== CARRIES_OFFSET.test(to)) return false;
  const start = readRangeEnd(from, 'from', 'UTC');
  const end = readRangeEnd(to, 'to', 'UTC');
  return start !== null && end !== null && end < start;
};

/** The range in a workspace's time zone, in milliseconds. @throws Refusal `invalid` on `to` when it is reversed */
export function readRange(
  range: { readonly from?: string | undefined; readonly to?: string | undefined },
  zone: string,
): { from?: number; to?: number } {
  const from = range.from === undefined ? null : readRangeEnd(range.from, 'from', zone);
  const to = range.to === undefined ? null : readRangeEnd(range.to, 'to', zone);
  if (from !== null && to !== null && to < from) throw invalid('to', `The to field ${TO_BEFORE_FROM}`);
  return { ...(from !== null && { from }), ...(to !== null && { to }) };
}
