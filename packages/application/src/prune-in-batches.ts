const BATCH = 500;

/**
 * Prunes rows batch by batch, until a batch isn't full.
 *
 * @param prune removes some rows; returns how many, fewer than `limit` only if no more are left
 * @returns how many rows were removed in total
 */
export async function pruneInBatches(
  prune: (limit: number) => Promise<number>,
  signal: AbortSignal | undefined,
): Promise<number> {
  let count = 0;
  while (!signal?.aborted) {
    const pruned = await prune(BATCH);
    count += pruned;
    if (pruned < BATCH) break;
  }
  return count;
}
