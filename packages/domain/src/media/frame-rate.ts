/** Rates at which cameras record and programs export, in frames per second. */
const STANDARD_RATES = [24, 25, 30, 48, 50, 60, 90, 100, 120].flatMap((rate) =>
  rate % 25 === 0 ? [rate] : [rate, Math.round((rate * 1_000_000) / 1001) / 1000],
);

/**
 * Maximum difference between a measured rate and the standard rate that was meant. Times of whole milliseconds, as in
 * Matroska (RFC 9559, section 11) and FLV, turn 60 frames per second into 60.004, and a phone's recording at 30 has an
 * average of 30.045 (MediaInfoLib, pull request 1411).
 */
const TOLERANCE = 0.002;

/** Returns the rate that is nearest to another one; if two are equally near, the first. Undefined if there are no rates. */
export const nearestRate = (rates: readonly number[], rate: number): number | undefined =>
  rates.toSorted((a, b) => Math.abs(a - rate) - Math.abs(b - rate))[0];

/**
 * Returns the standard rate that a measured average stands for; the average itself if there is none within 0.2%.
 * Neighbours such as 23.976 and 24 stay distinct, because the nearest one is taken.
 */
export function nominalRate(measured: number): number {
  const nearest = nearestRate(STANDARD_RATES, measured) ?? measured;
  return Math.abs(nearest - measured) <= nearest * TOLERANCE ? nearest : measured;
}
