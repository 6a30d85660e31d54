const EPOCH = 1_288_834_974_657n;

/** Bits of an ID behind its time in milliseconds. */
const OTHER_BITS = 22n;

const DAY = 24 * 60 * 60 * 1000;

/**
 * Returns the time at which X made the ID of a post; null if the number isn't such an ID. X's exports have only the days
 * of posts, but its IDs begin with a time (Snowflake, `IdWorker.scala`, in github.com/twitter-archive/snowflake). Only
 * whole seconds are returned, because the rest is wrong if a spreadsheet has rounded the ID to 15 digits.
 *
 * @param midnight the beginning of the post's day; the ID counts only if its time is within a day of that day, so that
 *   numbers of other networks aren't taken for IDs of X
 */
export function timeOfId(id: string, midnight: string): string | null {
  if (!/^\d{17,19}$/.test(id)) return null;
  const time = Number((BigInt(id) >> OTHER_BITS) + EPOCH);
  const since = time - Date.parse(midnight);
  if (since < -DAY || since >= 2 * DAY) return null;
  return new Date(Math.floor(time / 1000) * 1000).toISOString();
}
