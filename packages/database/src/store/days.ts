/** Milliseconds. */
export const DAY = 86_400_000;

/** A span of time in milliseconds since the epoch, both ends included; a missing end is unbounded. */
interface Time {
  readonly from?: number | undefined;
  readonly to?: number | undefined;
}

/** How to count rows by one of their timestamps. */
export interface DayCounts {
  /** Sums the stored counts of the UTC days from `start` up to, but without, `end`; null: unbounded on that side. */
  inDays(start: number | null, end: number | null): Promise<number>;
  /** Counts the rows themselves from one time to another, both included. */
  between(from: number, to: number): Promise<number>;
}

/**
 * Counts the rows within a span: whole days by their stored counts. For a first or last day that lies partly within it,
 * rows are counted in the shorter part of that day only.
 */
export async function countWithin({ from, to }: Time, { inDays, between }: DayCounts): Promise<number> {
  const first = from === undefined ? null : Math.ceil(from / DAY);
  const end = to === undefined ? null : Math.floor((to + 1) / DAY);
  const counted = (start: number, last: number): Promise<number> =>
    start > last ? Promise.resolve(0) : between(start, last);
  if (first !== null && end !== null && from !== undefined && to !== undefined && first > end) return counted(from, to);
  const beginOfDay = async (time: number): Promise<number> => {
    const day = Math.floor(time / DAY);
    if (time - day * DAY <= DAY / 2) return counted(day * DAY, time - 1);
    return (await inDays(day, day + 1)) - (await counted(time, (day + 1) * DAY - 1));
  };
  let total = await inDays(first, end);
  if (from !== undefined && first !== null && first * DAY > from) {
    total += (await inDays(first - 1, first)) - (await beginOfDay(from));
  }
  if (to !== undefined && end !== null && end * DAY <= to) total += await beginOfDay(to + 1);
  return total;
}
