/**
 * Quarters of an hour of UTC, numbered from the epoch. Every time zone in use is a whole number of them from UTC, so
 * that counts by quarters can be given by the hours of any zone.
 */
export const QUARTER = 15 * 60 * 1000;

export const QUARTERS_PER_DAY = 96;

/** The quarter that an instant, in milliseconds, lies in. */
export const quarterOf = (instant: number): number => Math.floor(instant / QUARTER);
