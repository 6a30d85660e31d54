/** Number of rows per statement: enough to save round trips, and far below the limits on the number of parameters. */
const BLOCK = 500;

export function* blocksOf<T>(items: readonly T[], size = BLOCK): Generator<readonly T[], void> {
  for (let start = 0; start < items.length; start += size) yield items.slice(start, start + size);
}
