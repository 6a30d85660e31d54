/** Bits of an ID behind its time: those of X and LinkedIn begin with milliseconds, those of TikTok with seconds. */
const BITS_AFTER_MILLISECONDS = 22n;
const BITS_AFTER_SECONDS = 32n;

/** The millisecond since 1970 from which X counts. */
const EPOCH_OF_X = 1_288_834_974_657n;

/** The times that the networks' IDs begin with, in milliseconds since 1970. */
const TIMES: readonly ((id: bigint) => bigint)[] = [
  (id) => (id >> BITS_AFTER_MILLISECONDS) + EPOCH_OF_X,
  (id) => id >> BITS_AFTER_MILLISECONDS,
  (id) => (id >> BITS_AFTER_SECONDS) * 1000n,
];

/** The ID in a cell, which may be a link such as `https://www.tiktok.com/@shop/video/7301234567890123456?lang=en`. */
const ID = /(?<![\p{L}\d])\d{17,19}(?![\p{L}\d])/gu;

const DAY = 24 * 60 * 60 * 1000;

/**
 * Returns the time at which X, LinkedIn or TikTok made the ID of a post; null if the cell has no such ID. Their exports
 * have only the days of posts, but the IDs begin with a time: X by Snowflake (`IdWorker.scala` in
 * github.com/twitter-archive/snowflake), LinkedIn in the same way from 1970
 * (github.com/Ollie-Boyd/Linkedin-post-timestamp-extractor), TikTok in seconds (dfir.pubpub.org/pub/9llea7yp). Only
 * whole seconds are returned, because the rest is wrong if a spreadsheet has rounded the ID to 15 digits.
 *
 * LinkedIn seems to make the ID of a scheduled post when it is scheduled. That hour isn't the post's, but midnight isn't
 * either.
 *
 * @param midnight the beginning of the post's day; the ID counts only if its time is within a day of that day, so that
 *   numbers of other networks aren't taken for such IDs, nor those of one network for another's: their times are more
 *   than a year apart
 */
export function timeOfId(cell: string, midnight: string): string | null {
  const id = cell.match(ID)?.at(-1);
  if (id === undefined) return null;
  for (const timeIn of TIMES) {
    const time = Number(timeIn(BigInt(id)));
    const since = time - Date.parse(midnight);
    if (since >= -DAY && since < 2 * DAY) return new Date(Math.floor(time / 1000) * 1000).toISOString();
  }
  return null;
}
