import type { Ports } from '../ports.ts';

/** Rows of one transaction. */
const BATCH = 500;

/** Forgets answers that were kept long enough, and those of tokens that are no good any more. Answers how many. */
export async function reapRepeats(
  { repeats, clock }: Pick<Ports, 'repeats' | 'clock'>,
  signal?: AbortSignal,
): Promise<number> {
  let count = 0;
  while (!signal?.aborted) {
    const reaped = await repeats.reap(clock.now(), BATCH);
    count += reaped;
    if (reaped < BATCH) break;
  }
  return count;
}
