const BATCH = 500;

/**
 * Removes rows until fewer than a batch are left.
 *
 * @param reap removes at most `limit` rows; returns how many
 * @returns how many were removed
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
