/** Milliseconds. */
export const DAY = 86_400_000;

/** A time, both ends included; what is missing is open. Milliseconds since the epoch. */
interface Time {
  readonly from?: number | undefined;
  readonly to?: number | undefined;
}

/** How rows are counted by a time of theirs. */
export interface DayCounts {
  /** By the counts that are kept of days of UTC, from one to before another; null: of all on that side. */
  inDays(start: number | null, end: number | null): Promise<number>;
  /** One by one, from a time to another, both included. */
  between(from: number, to: number): Promise<number>;
}

/** How many rows are within a time: whole days as they are kept; of a first and a last day that the time cuts, the shorter part one by one. */
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
