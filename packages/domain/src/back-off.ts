/**
 * Returns how long to wait before another attempt, in milliseconds: twice as long after each failure, up to `longest`.
 * If several callers may retry the same operation, they should add jitter.
 *
 * @param failures the number of failures so far, at least 1
 */
export const backOff = (failures: number, { first, longest }: { first: number; longest: number }): number =>
  Math.min(longest, first * 2 ** (failures - 1));
