const BATCH = 500;

/**
 * Removes rows batch by batch, until a batch isn't full.
 *
 * @param reap removes some rows; returns how many, fewer than `limit` only if no more are left
 * @returns how many rows were removed in total
 */
export async function reapInBatches(
  reap: (limit: number) => Promise<number>,
  signal: AbortSignal | undefined,
): Promise<number> {
  let count = 0;
  while (!signal?.aborted) {
    const reaped = await reap(BATCH);
    count += reaped;
    if (reaped < BATCH) break;
  }
  return count;
}
