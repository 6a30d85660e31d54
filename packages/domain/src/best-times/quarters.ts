/** Every zone in use is whole quarters from UTC, so counts by quarter become the hours of any zone. */
export const QUARTER = 15 * 60 * 1000;

export const QUARTERS_PER_DAY = 96;

export const quarterOf = (instant: number): number => Math.floor(instant / QUARTER);
