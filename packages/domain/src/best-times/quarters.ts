/**
 * Quarters of an hour of UTC, numbered from the epoch. The offset of every time zone in use is a whole number of
 * quarters, so counts by quarter can be converted to the hours of any zone.
 */
export const QUARTER = 15 * 60 * 1000;

export const QUARTERS_PER_DAY = 96;

/** The quarter that contains an instant in milliseconds. */
export const quarterOf = (instant: number): number => Math.floor(instant / QUARTER);
