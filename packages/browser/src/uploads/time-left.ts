/** How much was sent when. */
export interface Sample {
  /** Milliseconds. */
  readonly at: number;
  /** Bytes. */
  readonly loaded: number;
}

/** Milliseconds. Over a longer time a change of speed shows late, over a shorter one the figure jumps. */
const WINDOW = 10_000;

/** Milliseconds before there is anything to tell by. */
const LEAST = 2000;

/** Adds a sample, and leaves out those that no estimate needs any more. After a step back, as of a retry, it begins anew. */
export function withSample(samples: readonly Sample[], sample: Sample): readonly Sample[] {
  const last = samples.at(-1);
  if (last && sample.loaded < last.loaded) return [sample];
  const recent = samples.filter(({ at }) => at >= sample.at - WINDOW);
  return [...recent, sample];
}

/**
 * Seconds until all is sent, by the speed of the last {@link WINDOW}.
 *
 * @param size bytes of everything
 * @returns null as long as that can't be told: at the beginning, and while nothing is sent
 */
export function secondsLeft(samples: readonly Sample[], size: number): number | null {
  const [first, last] = [samples[0], samples.at(-1)];
  if (!first || !last || last.at - first.at < LEAST || last.loaded === first.loaded) return null;
  const bytesASecond = ((last.loaded - first.loaded) / (last.at - first.at)) * 1000;
  return Math.max(0, size - last.loaded) / bytesASecond;
}

/** "less than a minute left", "about 5 min left", "about 2 h left" */
export function leftInWords(seconds: number): string {
  if (seconds < 50) return 'less than a minute left';
  const minutes = Math.round(seconds / 60);
  return minutes < 90 ? `about ${Math.max(1, minutes)} min left` : `about ${Math.round(minutes / 60)} h left`;
}
