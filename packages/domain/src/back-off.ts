/**
 * How long to wait before another attempt, in milliseconds: twice as long after each failure, up to the longest. Callers
 * add the jitter, if several may wait for the same.
 *
 * @param failures before this wait, from 1
 */
export const backOff = (failures: number, { first, longest }: { first: number; longest: number }): number =>
  Math.min(longest, first * 2 ** (failures - 1));
