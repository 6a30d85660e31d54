/** The number of bytes that have been sent by a certain time. */
export interface Sample {
  /** The time in milliseconds. */
  readonly at: number;
  /** Bytes sent so far. */
  readonly loaded: number;
}

/**
 * Length in milliseconds of the interval over which the speed is measured. With a longer interval, the estimate would
 * react late to changes of speed; with a shorter one, it would fluctuate.
 */
const WINDOW = 10_000;

/** Milliseconds that the samples must cover before there is an estimate. */
const MIN_MEASURED_MS = 2000;

/**
 * Adds a sample, and removes those that no estimate needs any more. Starts over if the number of bytes has decreased,
 * for example after a retry.
 */
export function withSample(samples: readonly Sample[], sample: Sample): readonly Sample[] {
  const last = samples.at(-1);
  if (last && sample.loaded < last.loaded) return [sample];
  const recent = samples.filter(({ at }) => at >= sample.at - WINDOW);
  return [...recent, sample];
}

/**
 * Estimates the seconds until everything is sent, by the speed during the last {@link WINDOW}.
 *
 * @param size total bytes
 * @returns null while there is no estimate: at the beginning, and while nothing is sent
 */
export function secondsLeft(samples: readonly Sample[], size: number): number | null {
  const [first, last] = [samples[0], samples.at(-1)];
  if (!first || !last || last.at - first.at < MIN_MEASURED_MS || last.loaded === first.loaded) return null;
  const bytesASecond = ((last.loaded - first.loaded) / (last.at - first.at)) * 1000;
  return Math.max(0, size - last.loaded) / bytesASecond;
}

/** Formats an estimate: "less than a minute left", "about 5 min left", "about 2 h left". */
export function leftInWords(seconds: number): string {
  if (seconds < 50) return 'less than a minute left';
  const minutes = Math.round(seconds / 60);
  return minutes < 90 ? `about ${Math.max(1, minutes)} min left` : `about ${Math.round(minutes / 60)} h left`;
}
